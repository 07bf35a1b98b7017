/**
 * Restores masked values. A form shows `***` in place of a secret. Where the user has left the mask unchanged, this
 * puts back the value of the file. Pure.
 */
import { canonicalJson, isJsonObject } from "@plugboard/contracts";
import type { Json } from "@plugboard/contracts";
import { maskedAgain } from "./same-destinations.ts";

const MASK = "***";

/**
 * `edited` comes from the form. `masked` is `original` as the form showed it. A changed value stays as it is. Throws
 * USAGE for a mask that stands for no value, because it would be saved as the value.
 */
export function restoreMasked(edited: Json, masked: Json | undefined, original: Json | undefined): Json {
  if (original !== undefined && masked !== undefined && canonicalJson(edited) === canonicalJson(masked))
    return original;
  if (edited === MASK) throw maskedAgain();
  if (Array.isArray(edited)) {
    const [maskedItems, items] = [listOf(masked), listOf(original)];
    return edited.map((item, index) => restoreMasked(item, maskedItems[index], items[index]));
  }
  if (!isJsonObject(edited)) return edited;
  const [maskedFields, fields] = [fieldsOf(masked), fieldsOf(original)];
  return Object.fromEntries(
    Object.entries(edited).map(([key, value]) => {
      // A changed `$cmd` runs another program, which must not get the masked arguments.
      if (key === "$cmd") return [key, restoreMasked(value as Json, undefined, undefined)];
      return [key, restoreMasked(value as Json, maskedFields[key], fields[key])];
    }),
  );
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : [];
}

function fieldsOf(value: Json | undefined): { readonly [key: string]: Json | undefined } {
  return isJsonObject(value) ? value : {};
}
