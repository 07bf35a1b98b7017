import type { AnyMethod, SpecOf } from "../methods/method-spec.ts";

/** Describes every method of an interface. */
export type OperationTable<Methods> = {
  readonly [Name in keyof Methods]: Methods[Name] extends AnyMethod ? SpecOf<Methods[Name]> : never;
};
