/** Elicitation: forms and URLs by which a server asks the user for input. */
import type { Json } from "../lib/json.ts";

/** A server's question to the user: a flat form, or a URL to visit. */
export type Elicitation = FormElicitation | UrlElicitation;

export interface FormElicitation {
  readonly mode: "form";
  readonly message: string;
  readonly fields: readonly FormField[];
}

export interface UrlElicitation {
  readonly mode: "url";
  readonly message: string;
  readonly url: string;
  readonly elicitationId?: string;
}

interface FieldBase {
  readonly name: string;
  readonly required: boolean;
  readonly title?: string;
  readonly description?: string;
  readonly default?: Json;
}

export interface Choice {
  readonly value: string;
  readonly title: string;
}

export type FormField =
  | (FieldBase & {
      readonly type: "string";
      readonly minLength?: number;
      readonly maxLength?: number;
      readonly format?: string;
    })
  | (FieldBase & { readonly type: "number" | "integer"; readonly minimum?: number; readonly maximum?: number })
  | (FieldBase & { readonly type: "boolean" })
  | (FieldBase & { readonly type: "choice"; readonly choices: readonly Choice[] })
  | (FieldBase & {
      readonly type: "choices";
      readonly choices: readonly Choice[];
      readonly minItems?: number;
      readonly maxItems?: number;
    });

export type FormValue = string | number | boolean | string[];

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: { readonly [field: string]: FormValue } }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };
