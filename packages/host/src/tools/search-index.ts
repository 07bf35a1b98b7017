/**
 * Indexes the words of tools with MiniSearch, which is loaded with the first search. Limits the indexed text and the
 * query, because both come from untrusted parties and must not block.
 */
import type MiniSearch from "minisearch";
import { isJsonObject } from "@plugboard/contracts";
import type { Query } from "minisearch";
import type { RegisteredTool } from "./registered-tool.ts";

const MAX_TEXT_CHARS = 2_000;
/**
 * Limits the words of each field. Without this limit, a text of single letters would take ten times as long as prose.
 */
const MAX_WORDS = 500;
const MAX_PARAMETERS = 100;
const MAX_QUERY_CHARS = 500;
/** How many tools the rare words of a query may match in total. Words are taken rarest first. The others are common. */
const MAX_RARE_MATCHES = 1_000;
/** Limits the query words of each kind. Unknown words are those that no tool has. */
const MAX_RARE_WORDS = 12;
const MAX_COMMON_WORDS = 4;
const MAX_UNKNOWN_WORDS = 4;
/** The weight of each field in the score. */
const BOOST = { name: 4, title: 3, server: 2, parameters: 1.5, description: 1, details: 0.5 };
/** The fields in which common and misspelt words are searched. */
const MAIN_FIELDS = ["name", "title"];

export interface SearchHit {
  readonly tool: RegisteredTool;
  readonly score: number;
}

/** The searchable fields of a tool, as words separated by spaces. */
type IndexedText = { readonly [Field in keyof typeof BOOST]: string };

export class SearchIndex {
  readonly #index: MiniSearch;
  readonly #tools = new Map<number, RegisteredTool>();
  readonly #ids = new Map<RegisteredTool, number>();
  /** The number of tools that have each word. */
  readonly #frequency = new Map<string, number>();
  #nextId = 0;

  static async open(): Promise<SearchIndex> {
    const { default: MiniSearch } = await import("minisearch");
    return new SearchIndex(
      // The fields are already split into lower-case words.
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
    return this.#updateFrequency(text, 1);
  }

  /** Returns the number of removed words. */
  remove(tool: RegisteredTool): number {
    const id = this.#ids.get(tool)!;
    this.#ids.delete(tool);
    this.#tools.delete(id);
    this.#index.discard(id);
    return this.#updateFrequency(indexedText(tool), -1);
  }

  /** Returns the best match first. */
  search(query: string): SearchHit[] {
    const hits = this.#index.search({ queries: this.#buildQueries(query) }, { boost: BOOST });
    return hits.map(({ id, score }) => ({ tool: this.#tools.get(id as number)!, score }));
  }

  /** Searches rare words in all fields. Searches common words only in names, because elsewhere they tell little. */
  #buildQueries(query: string): Query[] {
    const frequency = (word: string) => this.#frequency.get(word) ?? 0;
    const words = [...new Set(tokenize(query.slice(0, MAX_QUERY_CHARS)))].toSorted(
      (a, b) => frequency(a) - frequency(b),
    );
    const unknown = words.filter((word) => frequency(word) === 0);
    // Words that no tool has sort first.
    const known = words.slice(unknown.length);
    let matches = 0;
    const rare = known.filter((word) => (matches += frequency(word)) <= MAX_RARE_MATCHES).slice(0, MAX_RARE_WORDS);
    const common = known.slice(rare.length, rare.length + MAX_COMMON_WORDS);
    return [
      { queries: rare, prefix: (word: string) => word.length > 2 },
      { queries: common, fields: MAIN_FIELDS },
      // An unknown word may be the start of a word, or misspelt.
      { queries: unknown.slice(0, MAX_UNKNOWN_WORDS), prefix: (word: string) => word.length > 1 },
      {
        queries: unknown.slice(0, MAX_UNKNOWN_WORDS),
        fields: MAIN_FIELDS,
        fuzzy: (word: string) => word.length > 3 && 0.2,
      },
    ];
  }

  /** Adds or removes a tool with these words in the count of each word. Returns the number of words. */
  #updateFrequency(text: IndexedText, change: 1 | -1): number {
    const words = Object.values(text).flatMap(splitTokens);
    for (const word of new Set(words)) {
      const count = (this.#frequency.get(word) ?? 0) + change;
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

/** A longer word is cut. It still matches by its beginning. */
const MAX_TOKEN_LENGTH = 40;
/** Most words match this, and need no splitting. */
const SINGLE_TOKEN = /^[a-z0-9]+$/;

/**
 * Splits a text into lower-case words. `readFile`, `read_file` and `read-file` become `read`, `file` and `readfile`.
 */
export function tokenize(text: string): string[] {
  return (text.match(/[\p{L}\p{M}\p{N}_-]+/gu) ?? []).flatMap((run) => {
    if (SINGLE_TOKEN.test(run)) return run.slice(0, MAX_TOKEN_LENGTH);
    const parts = run.split(/[_-]+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})|(?<=\p{Lu})(?=\p{Lu}\p{Ll})/u).filter(Boolean);
    const words = parts.length > 1 ? [...parts, parts.join("")] : parts;
    return words.map((word) => word.toLowerCase().slice(0, MAX_TOKEN_LENGTH));
  });
}
