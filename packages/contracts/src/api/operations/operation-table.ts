import type { AnyMethod, SpecOf } from "../methods/method-spec.ts";

/** The table of a group of operations: says how each method of the interface `Methods` is called. */
export type OperationTable<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends AnyMethod ? SpecOf<Methods[Name]> : never;
};
