/** How a method is called from another process, and the type of a description that matches the method's signature. */
import type { ArgumentCheck } from "./argument-checks.ts";
import type { Right } from "../rights/rights.ts";

export type AnyMethod = (...args: never[]) => Promise<unknown>;

export interface MethodSpec {
  /** The right that a caller needs. */
  readonly right: Right;
  /** Further rights that some arguments need. */
  readonly more?: readonly ConditionalRight[];
  /** One check for each argument, in order. */
  readonly params: readonly ArgumentCheck<unknown>[];
  /** The last argument is an options object that may have a `signal`. The signal is not sent; it aborts the request. */
  readonly signal?: true;
  /** The options object may also have `onProgress`. The response is a stream of progress events and one result. */
  readonly progress?: true;
}

export interface ConditionalRight {
  readonly right: Right;
  /** Says in the docs when the right is needed, such as "with a definition". */
  readonly when: string;
  /** Accepts unchecked arguments, because rights are checked first. */
  readonly applies: (args: readonly unknown[]) => boolean;
}

/** A `MethodSpec` whose checks and flags match the method's signature. */
export type SpecOf<Method extends AnyMethod> = MethodSpec & {
  readonly params: ChecksOf<Parameters<Method>>;
} & Flag<"signal", Method> &
  Flag<"progress", Method, "onProgress">;

type ChecksOf<Args extends readonly unknown[]> = { readonly [Index in keyof Args]-?: ArgumentCheck<Args[Index]> };

/** Requires the flag if the method's options have the key, and forbids it otherwise. */
type Flag<Name extends string, Method extends AnyMethod, Key extends string = Name> =
  Key extends KeysOf<LastOf<Required<Parameters<Method>>>>
    ? { readonly [Flag in Name]: true }
    : { readonly [Flag in Name]?: never };

type LastOf<Args extends readonly unknown[]> = Args extends [...unknown[], infer Last] ? Last : never;

/** The declared keys of an object type. A type with an index signature has none. */
type KeysOf<T> = string extends keyof T ? never : keyof T;
