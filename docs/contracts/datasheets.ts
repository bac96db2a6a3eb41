// Made from schemas/*.json by `make schemas`: change those, not this.

/** One row per faction that a document of the run belongs to or names as the owner of a record. */
export interface Faction {
  /** Id of the faction: the slug of its name. */
  faction_id: string;
  /** Name as the vocabulary or the page's title prints it, in mixed case where any source has it. */
  name: string;
  /** Other printed names of the same faction: its faction keyword, short and long forms. Empty: none was printed. */
  aliases: Array<string>;
}

/** One row per unit of a faction: what its datasheet says once for the whole unit. A unit that two factions print is two datasheets. */
export interface Datasheet {
  /** Id of the datasheet: faction and unit name as slugs. */
  datasheet_id: string;
  /** Faction on whose pages the datasheet stands. */
  faction_id: string;
  /** Name of the unit as printed. */
  name: string;
  /** Role under which the source lists the unit. Null: the source prints none (page dumps print none). */
  role: string | null;
  /** Whether the unit is marked as Legends (no longer supported in organised play). Null: the source does not say; it does not mean no. */
  is_legends: boolean | null;
  /** Size of the models' bases as printed, one value for the whole unit. Null: not printed, or printed per model (see `models.base_size`). */
  base_size: string | null;
  /** What the models carry before any option is taken (`… is equipped with: …`). Null: the source lost or does not print it. */
  loadout_text: string | null;
  /** Number of models that the unit can carry, from the transport text. Null: no transport, or the text gives no single number. Unit: models. */
  transport_capacity: number | null;
  /** The TRANSPORT section as printed, with all exceptions. Null: the unit is no transport. */
  transport_text: string | null;
  /** Least number of remaining wounds at which the DAMAGED rule applies (`DAMAGED: 1-5 WOUNDS REMAINING`). Null: the datasheet has no such rule. Unit: wounds. */
  damaged_low: number | null;
  /** Greatest number of remaining wounds at which the DAMAGED rule applies. Null: no such rule. Unit: wounds. */
  damaged_high: number | null;
  /** What happens while the unit is damaged. Null: no such rule. */
  damaged_text: string | null;
  /** The LEADER section as printed: which units the model can be attached to. Null: none printed. The units are rows of `leaders` where the source still names them. */
  leader_text: string | null;
  /** Every section of the datasheet that has no column of its own (`ORDERS`, `SUPREME COMMANDER`), in printed order. */
  other_sections: Array<{ heading: string; text: string }>;
}

/** Stat lines: one row per profile line of a datasheet. A datasheet whose source prints no stat line (most page dumps) has no row here. */
export interface Model {
  /** Id of the stat line: datasheet and name of the line. */
  model_id: string;
  /** The datasheet that the stat line stands on. */
  datasheet_id: string;
  /** Place of the stat line on the datasheet, counted from 1 in printed order. */
  position: number;
  /** Name of the stat line: the model's, or the unit's where there is only one. */
  name: string;
  /** Size of this model's base as printed. Null: not printed for this model. */
  base_size: string | null;
  /** Move (M) in inches; `20+"` is 20. Null: printed as `-`, or not printed. Unit: inches. */
  movement_inches: number | null;
  /** The same as printed. Null: not printed. */
  movement_inches_printed: string | null;
  /** Toughness (T). Null: not printed. */
  toughness: number | null;
  /** The same as printed. Null: not printed. */
  toughness_printed: string | null;
  /** Save (Sv): the roll needed, 2 to 7 (7: no save without help). Null: not printed. Unit: D6 roll or better. */
  save: number | null;
  /** The same as printed. Null: not printed. */
  save_printed: string | null;
  /** Invulnerable save: the roll needed, 2 to 6. Null: none printed, or the page does not tell whose it is; page dumps lose most of them, so null does not prove that there is none. Unit: D6 roll or better. */
  invulnerable_save: number | null;
  /** The same as printed. Null: not printed. */
  invulnerable_save_printed: string | null;
  /** Footnote that says when the invulnerable save counts. Null: it always does, or the source prints none. */
  invulnerable_save_text: string | null;
  /** Wounds (W). Null: not printed. Unit: wounds. */
  wounds: number | null;
  /** The same as printed. Null: not printed. */
  wounds_printed: string | null;
  /** Leadership (Ld): the total of 2D6 needed. Null: not printed. Unit: 2D6 total or better. */
  leadership: number | null;
  /** The same as printed. Null: not printed. */
  leadership_printed: string | null;
  /** Objective Control (OC); 0 is a printed 0. Null: printed as `-`, or not printed. */
  objective_control: number | null;
  /** The same as printed. Null: not printed. */
  objective_control_printed: string | null;
}

/** One row per line of a datasheet's weapon tables. A weapon with several profiles has one row for each; a weapon that several datasheets carry has rows on each of them. Which model of the unit carries a weapon is not stated by the sources and not guessed here. */
export interface WeaponProfile {
  /** Id of the profile: datasheet, kind, weapon and, where there are several, profile. */
  profile_id: string;
  /** The datasheet that prints the profile. */
  datasheet_id: string;
  /** Place of the profile among all profiles of the datasheet, counted from 1 in printed order. */
  position: number;
  /** Weapon table in which the profile stands. */
  kind: "ranged" | "melee";
  /** Name of the weapon as printed, without its abilities and without the name of the profile. */
  weapon_name: string;
  /** Name of the profile behind the dash (`Plasma spitter – supercharge`). Null: the weapon has one profile. */
  profile_name: string | null;
  /** Range in inches. Null: a melee profile, or a range that is no number (see `range_printed`). Unit: inches. */
  range_inches: number | null;
  /** Range cell as printed (`24"`, `Melee`, `N/A`). Null: the source prints no range cell. */
  range_printed: string | null;
  /** Attacks (A) as printed: a number or dice (`D6+1`). Null: not printed. */
  attacks: string | null;
  /** Least possible value of `attacks`. Null: `attacks` is null or no number. */
  attacks_min: number | null;
  /** Greatest possible value of `attacks`. Null: `attacks` is null or no number. */
  attacks_max: number | null;
  /** Mean value of `attacks` over all rolls. Null: `attacks` is null or no number. */
  attacks_mean: number | null;
  /** Ballistic or weapon skill (BS, WS): the roll needed, 2 to 6. Null: printed as `N/A` (the weapon hits automatically) or `-`. Unit: D6 roll or better. */
  skill: number | null;
  /** Skill cell as printed (`3+`, `N/A`, `-`). Null: the source prints no such cell. */
  skill_printed: string | null;
  /** Strength (S) as printed: a number or dice (`D6+1`). Null: not printed. */
  strength: string | null;
  /** Least possible value of `strength`. Null: `strength` is null or no number. */
  strength_min: number | null;
  /** Greatest possible value of `strength`. Null: `strength` is null or no number. */
  strength_max: number | null;
  /** Mean value of `strength` over all rolls. Null: `strength` is null or no number. */
  strength_mean: number | null;
  /** Armour penetration (AP): 0 or negative. Null: printed as `-`. */
  armour_penetration: number | null;
  /** AP cell as printed. Null: the source prints no such cell. */
  armour_penetration_printed: string | null;
  /** Damage (D) as printed: a number or dice (`D6+1`). Null: not printed. */
  damage: string | null;
  /** Least possible value of `damage`. Null: `damage` is null or no number. Unit: wounds. */
  damage_min: number | null;
  /** Greatest possible value of `damage`. Null: `damage` is null or no number. Unit: wounds. */
  damage_max: number | null;
  /** Mean value of `damage` over all rolls. Null: `damage` is null or no number. Unit: wounds. */
  damage_mean: number | null;
  /** Abilities in brackets behind the weapon's name, canonical upper case with their values, in printed order. The same, taken apart, are rows of `weapon_abilities`. Empty: none. */
  abilities: Array<string>;
  /** The whole name cell as printed, from which `weapon_name`, `profile_name` and `abilities` were divided. */
  printed_name: string;
  /** False: name and abilities could be divided in more than one way; the division here is then the likeliest one, and `printed_name` is the truth. */
  split_certain: boolean;
}

/** One row per ability of a weapon profile: `weapon_profiles.abilities` taken apart. */
export interface WeaponAbility {
  /** The profile that has the ability. */
  profile_id: string;
  /** Place of the ability among those of the profile, counted from 1 in printed order. */
  position: number;
  /** Name of the ability, canonical upper case, without value and target. */
  ability: string;
  /** Value of the ability as printed: a number, dice or a roll (`6`, `D3`, `4+`). Null: the ability takes none, or was printed without the one it takes (then `diagnostics` has `ability-without-value`; do not assume 1). */
  value: string | null;
  /** Keyword that an ANTI ability is good against. Null: the ability has no target. */
  target: string | null;
  /** Keywords to which the ability is limited (`LETHAL HITS: non-MONSTER/VEHICLE`). Null: not limited. */
  condition: string | null;
  /** The datasheet's own footnote that explains a one-off ability. Null: the ability is one of the rules'. */
  text: string | null;
  /** Rule of the ability. Null: no document of the run prints it, or several could be meant. */
  rule_id: string | null;
}

/** One row per ability of a datasheet that is not a weapon's. */
export interface Ability {
  /** Id of the ability: datasheet, kind and name. */
  ability_id: string;
  /** The datasheet that has the ability. */
  datasheet_id: string;
  /** Place of the ability on the datasheet, counted from 1 in printed order. */
  position: number;
  /** `core`, `faction`, `datasheet`, `wargear`, or the slug of another heading under which the ability is printed. */
  kind: string;
  /** Name of the ability as printed, without its value. */
  name: string;
  /** Value printed behind the name (`D3` of `Deadly Demise D3`). Null: none. */
  value: string | null;
  /** What the ability does. Null: the datasheet gives the name only, as for core and faction abilities. */
  text: string | null;
  /** Rule of a core or faction ability. Null: the ability explains itself, or no single rule of the run fits. */
  rule_id: string | null;
}

/** One row per bullet under WARGEAR OPTIONS. Options have no names; their place is their id. */
export interface WargearOption {
  /** Id of the option: datasheet and place. */
  option_id: string;
  /** The datasheet that offers the option. */
  datasheet_id: string;
  /** Place of the option on the datasheet, counted from 1 in printed order. */
  position: number;
  /** The option as printed, with its nested bullets. */
  text: string;
  /** What can be chosen, as printed, where the option lists alternatives. Empty: the option names one thing within its sentence. */
  choices: Array<string>;
}

/** One row per line under UNIT COMPOSITION. */
export interface UnitComposition {
  /** The datasheet that the line stands on. */
  datasheet_id: string;
  /** Place of the line on the datasheet, counted from 1 in printed order. */
  position: number;
  /** Name of the models that the line counts. Null: the line counts none (a sentence). */
  model_name: string | null;
  /** Least number of these models in the unit; 0: they are optional. Null: the line counts none. Unit: models. */
  models_min: number | null;
  /** Greatest number of these models in the unit. Null: the line counts none. Unit: models. */
  models_max: number | null;
  /** The line as printed. */
  text: string;
}

/** One row per printed price. A unit with tiers (`YOUR 1ST TO 3RD UNITS COST`) has a row for each size in each tier; a price per item of wargear is a row of its own. */
export interface UnitCost {
  /** The datasheet that the price belongs to. */
  datasheet_id: string;
  /** Place of the price on the datasheet, counted from 1 in printed order. */
  position: number;
  /** `unit`: price of the whole unit at a size. `wargear`: what one item adds. */
  kind: "unit" | "wargear";
  /** First copy of the unit in the army to which the price applies. Null: the price does not depend on copies. Unit: copies. */
  from_unit: number | null;
  /** Last copy to which the price applies. Null: no end, or the price does not depend on copies. Unit: copies. */
  to_unit: number | null;
  /** Number of models that the price is for. Null: the line counts none, as for wargear. Unit: models. */
  models: number | null;
  /** Left cell of the price line as printed. */
  description: string;
  /** Price; 0 is a printed 0. Null: the source prints no number: the unit is not free. Unit: points. */
  points: number | null;
}

/** Who can lead whom: one row per leader and unit, gathered from both datasheets. */
export interface Leader {
  /** Datasheet of the leader. */
  leader_id: string;
  /** Name of the unit that can be led, as printed. */
  led_name: string;
  /** Datasheet of that unit. Null: the name fits no datasheet of the run, or more than one. */
  led_id: string | null;
}

/** One row per keyword of a datasheet and, where a keyword belongs to one model only, of that model. */
export interface Keyword {
  /** The datasheet that has the keyword. */
  datasheet_id: string;
  /** Keyword as printed, upper case. */
  keyword: string;
  /** Model that has the keyword, as printed; `*`: all models of the unit. */
  model_name: string;
  /** Place of the keyword among those of the datasheet, counted from 1 in printed order. */
  position: number;
  /** Whether it stands under FACTION KEYWORDS. */
  is_faction: boolean;
}

/** Which datasheets have a keyword, or several at once. `datasheet_ids` is made from `keywords`; the `printed_` columns are what the pages' own indexes (`The FLY keyword is used in …`) still say. */
export interface KeywordIndex {
  /** Id of the entry: faction (or `any`) and keywords. */
  keyword_index_id: string;
  /** The keyword, or all keywords that the index joins by `and`. */
  keywords: Array<string>;
  /** Faction within which the index counts. Null: all factions. */
  faction_id: string | null;
  /** Datasheets of the release that have all of `keywords`, sorted. Empty: none of this release has them. */
  datasheet_ids: Array<string>;
  /** Role headings that a page prints in place of the unit names. Empty: no page prints this index, or it prints none. */
  printed_groups: Array<string>;
  /** Factions that a page names for this index. Empty: none. */
  printed_factions: Array<string>;
  /** Names of the datasheets that a page's index prints below its role headings, in printed order. Empty: only headings are left, or no page prints it. */
  printed_datasheets: Array<string>;
  /** Whether a page's index still names its datasheets. False: only headings are left, or no page prints it. */
  members_known: boolean;
}

/** One row per stratagem. Two of the same name in different rule sets or detachments are two rows. */
export interface Stratagem {
  /** Id of the stratagem: rule set or detachment, and name. */
  stratagem_id: string;
  /** Name as printed. */
  name: string;
  /** Cost in command points; 0 is a printed 0. Null: the source lost it. Unit: command points. */
  cp_cost: number | null;
  /** `core`, `detachment`, or the slug of the rule set or mission pack that prints it (`boarding-actions`). */
  source: string;
  /** Faction that owns it. Null: a stratagem of all factions. */
  faction_id: string | null;
  /** Detachment that owns it. Null: it belongs to none, or the dump no longer shows to which (then `diagnostics` has `detachment-not-shown`). */
  detachment_id: string | null;
  /** `Battle Tactic`, `Strategic Ploy`, `Epic Deed`, `Wargear`. Null: not printed. */
  type: string | null;
  /** Number of the rule that the stratagem is, where the core rules number it. Null: it has none. */
  rule_number: string | null;
  /** Flavour text. Null: none printed. */
  flavour: string | null;
  /** The WHEN section. Null: not printed. */
  when_text: string | null;
  /** The TARGET section. Null: not printed. */
  target_text: string | null;
  /** The EFFECT section. Null: not printed. */
  effect_text: string | null;
  /** The RESTRICTIONS section. Null: not printed, as on most cards. */
  restrictions_text: string | null;
  /** Phases in which it can be used, from `when_text`: `command`, `movement`, `shooting`, `charge`, `fight`, `any`. Empty: WHEN names none or is missing. */
  phases: Array<string>;
  /** Whose turn it can be used in, from `when_text`. Null: WHEN does not say or is missing. */
  turn: "yours" | "opponents" | "either" | null;
  /** Whether the row has all that the stratagem's card prints. False: its card is missing from the run, or lost a part. */
  complete: boolean;
}

/** The stratagem list of each datasheet: which stratagems its page names for the unit. */
export interface DatasheetStratagem {
  /** The datasheet that lists the stratagem. */
  datasheet_id: string;
  /** Place of the stratagem in the list, counted from 1 in printed order. */
  position: number;
  /** The stratagem. */
  stratagem_id: string;
  /** Mark beside the entry (`C`: core, `BA`: Boarding Actions). Null: none printed. */
  tag: string | null;
}

/** One row per detachment of a faction. */
export interface Detachment {
  /** Id of the detachment: faction and name. */
  detachment_id: string;
  /** Faction of the detachment. */
  faction_id: string;
  /** Name as printed. */
  name: string;
  /** Other printed names of the same detachment, joined by a declared alias. Empty: none. */
  aliases: Array<string>;
  /** What the detachment costs of an army's detachment points (11th edition). Null: the source prints none. */
  detachment_points: number | null;
  /** Force disposition of the detachment (11th edition), upper case. Null: the source prints none. */
  force_disposition: string | null;
}

/** One row per enhancement of a faction's detachments, where a source has them. */
export interface Enhancement {
  /** Id of the enhancement: detachment (or faction, while the detachment is unknown) and name. */
  enhancement_id: string;
  /** Faction of the enhancement. */
  faction_id: string;
  /** Detachment of the enhancement. Null: the dump no longer shows it. */
  detachment_id: string | null;
  /** Name as printed, without the price. */
  name: string;
  /** Price; 0 is a printed 0. Null: not printed. Unit: points. */
  points: number | null;
  /** Flavour text. Null: none printed, or run into `text` by a source that does not part them. */
  flavour: string | null;
  /** What the enhancement does. Null: not printed. */
  text: string | null;
}

/** One row per question and answer of a faction's or the core rules' FAQ. */
export interface Faq {
  /** Id of the entry: faction (or `core`) and a hash of the folded question. */
  faq_id: string;
  /** Faction whose FAQ it is. Null: the core rules'. */
  faction_id: string | null;
  /** The question. */
  question: string;
  /** The answer. */
  answer: string;
}

/** The publications that a page says it was made from. */
export interface Book {
  /** Id of the publication: name and kind. */
  book_id: string;
  /** Name as printed. */
  name: string;
  /** Kind of publication as printed. Null: not printed. */
  kind: string | null;
  /** Edition that the page gives for it. Null: not printed. */
  edition: string | null;
  /** Version that the page gives for it. Null: not printed. */
  version: string | null;
  /** Last update as printed. Null: not printed. */
  updated: string | null;
}

/** Every numbered section, weapon ability, core ability, move, shooting type, core stratagem, army rule and detachment rule. Children point to their parents. */
export interface Rule {
  /** Id of the rule: its number where there is one, else a path of slugs. */
  rule_id: string;
  /** Number as printed. It is text: `06.10` is not 6.1. Null: the rule has none. */
  number: string | null;
  /** Title as printed, without the number. Null: the dump lost it (then `diagnostics` has `title-lost`). */
  title: string | null;
  /** What kind of rule it is, as a slug (`section`, `weapon-ability`, `core-ability`, `move`, `army-rule`, `detachment-rule` …). */
  kind: string;
  /** Faction that the rule belongs to. Null: a rule of all factions. */
  faction_id: string | null;
  /** Detachment that the rule belongs to. Null: no detachment's rule, or the dump no longer shows it. */
  detachment_id: string | null;
  /** Rule that this one is a part of. Null: it stands by itself, or no document of the run prints the parent. */
  parent_id: string | null;
  /** Flavour text. Null: none printed. */
  flavour: string | null;
  /** Text of the rule outside its labelled sections, examples and sidebars. Null: there is none. */
  text: string | null;
  /** Labelled sections in true order (`ELIGIBLE IF`, `EFFECT` …); the text of a label that stands alone is empty. */
  sections: Array<{ label: string; text: string }>;
  /** Examples, without the word `Example`. */
  examples: Array<string>;
  /** Boxes beside the rule, such as designer’s notes. */
  sidebars: Array<{ title: string; text: string }>;
  /** Tables inside the rule. Empty: it has none, or the source lost them. */
  tables: Array<{ caption: string | null; header: Array<string>; rows: Array<Array<string>> }>;
  /** False: the source lost a part of the rule, a table say. */
  complete: boolean;
}

/** Every reference from one text to a rule, ability, keyword or named thing. None is dropped: what fits no target is `dangling`, what fits several is `ambiguous`. */
export interface CrossReference {
  /** Id of the reference: table, record and place. */
  reference_id: string;
  /** Table of the record whose text refers. */
  from_table: string;
  /** That record's id; key values of a table with several key columns are joined by `#`. */
  from_id: string;
  /** Place of the reference in the record, counted from 1. */
  position: number;
  /** The reference as printed. */
  printed: string;
  /** How it refers. */
  kind: "number" | "ability" | "see-also" | "name" | "keyword";
  /** Rule number that it gives. Null: it gives none. */
  to_number: string | null;
  /** Table of the target. Null: unless there is exactly one candidate. */
  to_table: string | null;
  /** Id of the target. Null: unless there is exactly one candidate. */
  to_id: string | null;
  /** `resolved`: exactly one candidate. `dangling`: none in the release. `ambiguous`: more than one. */
  status: "resolved" | "dangling" | "ambiguous";
}

/** Which enhancements can be given to which unit, as an export lists them. */
export interface DatasheetEnhancement {
  /** The datasheet that can be given the enhancement. */
  datasheet_id: string;
  /** The enhancement. */
  enhancement_id: string;
}

/** Which detachment rules concern which unit, as an export lists them. */
export interface DatasheetDetachmentRule {
  /** The datasheet that the rule concerns. */
  datasheet_id: string;
  /** The detachment rule. */
  rule_id: string;
}

/** Which ids other data sets use for our records: one row per id of a source. Nothing is joined by name that a source joins by id. */
export interface Crosswalk {
  /** Table of the record. */
  table: string;
  /** Id of the record in that table. */
  record_id: string;
  /** Whose id it is: `wahapedia` (the pipe-delimited export), `datacards`, `mfm` (the price lists). Ids of two sources have nothing in common, even where they look alike. */
  source: string;
  /** The id there. It is text: leading zeros count. */
  source_id: string;
  /** Name of the record as that source prints it. Null: the source gives it no name. */
  name: string | null;
}

/** One row per raw document, also the rejected ones, with the measure of how well it was read. */
export interface DocumentRow {
  /** First 16 hexadecimal digits of the document's sha256. */
  document_id: string;
  /** Path relative to the raw folder, with `/`. */
  path: string;
  /** Name inside the archive at `path`. Null: the document is a file of its own. */
  member: string | null;
  /** Format that the reader took it for. */
  format: string;
  /** What it holds; `other`: nothing that is read. */
  kind: "datasheet" | "faction" | "rules" | "export" | "other";
  /** Edition that the page itself or the user gives. Null: uncertain. */
  edition: string | null;
  /** Faction of the page. Null: none, or not known. A rejected document may name a faction that has no row in `factions`. */
  faction_id: string | null;
  /** Title of the page. Null: the dump has none. */
  title: string | null;
  /** Address that the page was saved from, from its first line or a side-car. Null: not known. */
  url: string | null;
  /** When it was saved, ISO 8601, from its side-car. Null: not known. */
  captured_at: string | null;
  /** Size of the raw document. Unit: bytes. */
  bytes: number;
  /** SHA-256 of the bytes. */
  sha256: string;
  /** Length of the text that was read: the decoded file, or the visible text of a saved page. 0: it could not be decoded. Unit: characters. */
  characters: number;
  /** Characters that were understood: values, echoes and furniture together. Unit: characters. */
  characters_claimed: number;
  /** Of the claimed: repeats of what was read elsewhere on the page. Unit: characters. */
  characters_echo: number;
  /** Of the claimed: boilerplate of the page that the vocabulary names. Unit: characters. */
  characters_furniture: number;
  /** `read`; `partly-read`: with unclaimed text; `rejected`: nothing of it is in the release. */
  status: "read" | "partly-read" | "rejected";
}

/** Where each row comes from: stretches of text of the raw documents. */
export interface Observation {
  /** Table of the row. */
  table: string;
  /** Id of the row; key values of a table with several key columns are joined by `#`. */
  record_id: string;
  /** Document in which it was seen. */
  document_id: string;
  /** First character of the stretch, counted from 0 in the text that was read: the decoded file, or the visible text of a saved page. Unit: characters. */
  start: number;
  /** Character behind the last one. Unit: characters. */
  end: number;
  /** Line of the first character, counted from 1. Unit: lines. */
  line: number;
}

/** Two documents disagree on a column of one record; both values stay visible. */
export interface Conflict {
  /** Table of the record. */
  table: string;
  /** Id of the record; key values of a table with several key columns are joined by `#`. */
  record_id: string;
  /** Column on which they disagree. */
  column: string;
  /** Document that says `other`. */
  document_id: string;
  /** Value that stands in the table, as compact JSON. */
  kept: string;
  /** Value of this document, as compact JSON. */
  other: string;
}

/** How many sources confirm a weapon profile, a stat line or a price: one row per record. Two sources agree when every value that both print is the same, typography apart. */
export interface Agreement {
  /** Datasheet of the record. */
  datasheet_id: string;
  /** Table of the record: `models`, `unit_costs` or `weapon_profiles`. */
  table: "models" | "unit_costs" | "weapon_profiles";
  /** Id of the record; key values of a table with several key columns are joined by `#`. */
  record_id: string;
  /** Formats of the sources that have the record, sorted: `html`, `text`, `datacards-json`, `price-yaml`, `wahapedia-csv`. */
  sources: Array<string>;
  /** Those of `sources` that disagree with another of them; what they say is in `conflicts`. Empty: all agree, or there is one alone. */
  differing: Array<string>;
}

/** Per table and pair of source formats: how many rows both have, and on how many values they agree. The disagreements are in `conflicts`. */
export interface SourcePair {
  /** Table of the rows. */
  table: string;
  /** Format of one source; of the two the one whose name comes first. */
  source: string;
  /** Format of the other source. */
  other_source: string;
  /** Rows that both sources have. Unit: rows. */
  rows: number;
  /** Of these rows, those in which every value that both print is the same. Unit: rows. */
  rows_agreeing: number;
  /** Values that both sources print, over all their common rows. Unit: values. */
  values: number;
  /** Of these values, those that are the same. Unit: values. */
  values_agreeing: number;
}

/** Everything that was to be said of an input or a record, with its place: rejections, doubts, text that was not understood, findings of the validation. */
export interface DiagnosticRow {
  /** Id of the diagnostic: its code and a hash of place and message. */
  diagnostic_id: string;
  /** Code from the catalogue in `pipeline/diagnostics.py`. */
  code: string;
  /** How grave it is. */
  severity: "error" | "warning";
  /** What is to be said, with an excerpt of the text. */
  message: string;
  /** Document that it is about. Null: about a record or the whole run. */
  document_id: string | null;
  /** Line, counted from 1. Null: no place in a text. Unit: lines. */
  line: number | null;
  /** First character, counted from 0. Null: no place in a text. Unit: characters. */
  start: number | null;
  /** Character behind the last one. Null: no place in a text. Unit: characters. */
  end: number | null;
  /** Table of the record that it is about. Null: about no record. */
  table: string | null;
  /** That record's id. A rejected record is in no table. Null: about no record. */
  record_id: string | null;
}

/** Ids of earlier releases that are no longer used, from `schemas/renamed_ids.json`. Ids below an old id (`old/…`) moved with it. */
export interface Migration {
  /** Table of the id. */
  table: string;
  /** The id that is no longer used. */
  old_id: string;
  /** The id to use in its place. Null: the thing was retired. */
  new_id: string | null;
  /** `renamed`: the same thing under a new id. `merged`: joined to another that existed. `retired`: gone without a successor. */
  kind: "renamed" | "merged" | "retired";
  /** Why, in a few words. */
  reason: string;
}

/** A faction with all its datasheets: `factions/<faction_id>.json`. */
export type FactionDocument = { edition: string } & Faction & {
  datasheets: Array<Omit<Datasheet, "faction_id"> & {
    models: Array<Omit<Model, "datasheet_id">>;
    weapons: Array<Pick<WeaponProfile, "kind" | "weapon_name"> & { profiles: Array<Omit<WeaponProfile, "datasheet_id" | "kind" | "weapon_name" | "abilities"> & {
      abilities: Array<Omit<WeaponAbility, "profile_id">>;
    }> }>;
    abilities: Array<Omit<Ability, "datasheet_id">>;
    options: Array<Omit<WargearOption, "datasheet_id">>;
    composition: Array<Omit<UnitComposition, "datasheet_id">>;
    costs: Array<Omit<UnitCost, "datasheet_id">>;
    keywords: Array<Omit<Keyword, "datasheet_id">>;
    leads: Array<Omit<Leader, "leader_id">>;
    led_by: Array<Omit<Leader, "led_id">>;
  }>;
  detachments: Array<Omit<Detachment, "faction_id">>;
  enhancements: Array<Omit<Enhancement, "faction_id">>;
};
