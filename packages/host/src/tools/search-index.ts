/**
 * The words of tools, and in which tools they are. What tools say of themselves
 * is cut, and a query looks only so far: both come from others, and neither may
 * block. MiniSearch does the work and is loaded when somebody first searches.
 */
import { isJsonObject } from "@plugboard/contracts";
import type MiniSearch from "minisearch";
import type { Query } from "minisearch";
import type { RegisteredTool } from "./registered-tool.ts";
import { tokenize } from "./tokenize.ts";

const MAX_TEXT_CHARS = 2_000;
/** Limits the words of each field. Without it, a text of single letters would take ten times as long as prose. */
const MAX_WORDS = 500;
const MAX_PARAMETERS = 100;
const MAX_QUERY_CHARS = 500;
/** In how many tools the words of a query may be, all together, to be looked for everywhere. */
const MAX_MATCHES = 1_000;
/** How many words are looked for: those that tell tools apart, those that most have, and those that none has. */
const MAX_RARE_WORDS = 12;
const MAX_COMMON_WORDS = 4;
const MAX_UNKNOWN_WORDS = 4;
const BOOST = { name: 4, title: 3, server: 2, parameters: 1.5, description: 1, details: 0.5 };
const MAIN_FIELDS = ["name", "title"];

export interface SearchHit {
  readonly tool: RegisteredTool;
  readonly score: number;
}

/** What is searched of a tool, as words with a space between them. */
type IndexedText = { readonly [Field in keyof typeof BOOST]: string };

export class SearchIndex {
  readonly #index: MiniSearch;
  readonly #tools = new Map<number, RegisteredTool>();
  readonly #ids = new Map<RegisteredTool, number>();
  /** In how many tools each word is. */
  readonly #frequency = new Map<string, number>();
  #nextId = 0;

  static async open(): Promise<SearchIndex> {
    const { default: MiniSearch } = await import("minisearch");
    return new SearchIndex(
      // What is given are words, in lower case already.
      new MiniSearch({ fields: Object.keys(BOOST), tokenize: splitTokens, processTerm: (word) => word }),
    );
  }

  private constructor(index: MiniSearch) {
    this.#index = index;
  }

  /** Returns the number of indexed words, a measure of the time taken. */
  add(tool: RegisteredTool): number {
    const id = this.#nextId++;
    const text = indexedText(tool);
    this.#tools.set(id, tool);
    this.#ids.set(tool, id);
    this.#index.add({ id, ...text });
    return this.#countWords(text, 1);
  }

  /** Returns the number of removed words. */
  remove(tool: RegisteredTool): number {
    const id = this.#ids.get(tool)!;
    this.#ids.delete(tool);
    this.#tools.delete(id);
    this.#index.discard(id);
    return this.#countWords(indexedText(tool), -1);
  }

  /** Best first. */
  search(query: string): SearchHit[] {
    const hits = this.#index.search({ queries: this.#buildQueries(query) }, { boost: BOOST });
    return hits.map(({ id, score }) => ({ tool: this.#tools.get(id as number)!, score }));
  }

  /** A word that most tools have costs most and says least: it counts where it is part of a name only. */
  #buildQueries(query: string): Query[] {
    const frequency = (word: string) => this.#frequency.get(word) ?? 0;
    const words = [...new Set(tokenize(query.slice(0, MAX_QUERY_CHARS)))].toSorted(
      (a, b) => frequency(a) - frequency(b),
    );
    const unknown = words.filter((word) => frequency(word) === 0);
    let matches = 0;
    const known = words.slice(unknown.length);
    const rare = known.filter((word) => (matches += frequency(word)) <= MAX_MATCHES).slice(0, MAX_RARE_WORDS);
    const common = known.slice(rare.length, rare.length + MAX_COMMON_WORDS);
    return [
      { queries: rare, prefix: (word: string) => word.length > 2 },
      { queries: common, fields: MAIN_FIELDS },
      // Not there as it is: the beginning of a word, or a mistyped one.
      { queries: unknown.slice(0, MAX_UNKNOWN_WORDS), prefix: (word: string) => word.length > 1 },
      {
        queries: unknown.slice(0, MAX_UNKNOWN_WORDS),
        fields: MAIN_FIELDS,
        fuzzy: (word: string) => word.length > 3 && 0.2,
      },
    ];
  }

  #countWords(text: IndexedText, by: 1 | -1): number {
    const words = Object.values(text).flatMap(splitTokens);
    for (const word of new Set(words)) {
      const count = (this.#frequency.get(word) ?? 0) + by;
      if (count > 0) this.#frequency.set(word, count);
      else this.#frequency.delete(word);
    }
    return words.length;
  }
}

function indexedText({ tool, title = "", server, description, inputSchema }: RegisteredTool): IndexedText {
  const { properties } = inputSchema;
  const parameters = isJsonObject(properties) ? Object.entries(properties).slice(0, MAX_PARAMETERS) : [];
  const details = parameters.map(([, schema]) => (isJsonObject(schema) ? schema["description"] : undefined));
  return {
    name: joinTokens(tool),
    title: joinTokens(title),
    server: joinTokens(server),
    description: joinTokens(description),
    parameters: joinTokens(...parameters.map(([name]) => name)),
    details: joinTokens(...details.filter((text) => typeof text === "string")),
  };
}

function joinTokens(...texts: string[]): string {
  const whole = texts.map((text) => text.slice(0, MAX_TEXT_CHARS)).join(" ");
  return tokenize(whole.slice(0, MAX_TEXT_CHARS)).slice(0, MAX_WORDS).join(" ");
}

function splitTokens(text: string): string[] {
  return text === "" ? [] : text.split(" ");
}
