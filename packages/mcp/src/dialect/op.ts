import type { JsonObject } from "@plugboard/contracts";
import type { AskAnswer } from "./ask.ts";

/** Everything a session can be asked for, keyed by method. The same in both eras; a dialect adds what its wire wants. */
interface Params {
  "tools/list": { readonly cursor?: string };
  "tools/call": { readonly name: string; readonly arguments: JsonObject; readonly resumed?: Resumed };
}

/** A call that goes on after a question, where the server keeps nothing for it. */
export interface Resumed {
  readonly answers: { readonly [key: string]: AskAnswer };
  /** Handed back byte for byte. */
  readonly requestState?: string;
  /** How many questions it has been through. */
  readonly round: number;
}

export type Op = { [M in keyof Params]: { readonly method: M; readonly params: Params[M] } }[keyof Params];
