import type { JsonObject } from "@plugboard/contracts";

/** Everything a session can be asked for, keyed by method. The same in both eras; a dialect adds what its wire wants. */
interface Params {
  "tools/list": { readonly cursor?: string };
  "tools/call": { readonly name: string; readonly arguments: JsonObject };
}

export type Op = { [M in keyof Params]: { readonly method: M; readonly params: Params[M] } }[keyof Params];
