/** Returns the inputs that a choice still needs after the user has set some values directly. Pure. */
import type { RegistryGivenValues, RegistryInputField } from "@plugboard/contracts";
import type { SupportedChoice, ValueTemplate } from "./server-choice.ts";

export function unsetInputs(
  { template, inputs }: SupportedChoice,
  { env = {}, headers = {} }: RegistryGivenValues,
): RegistryInputField[] {
  const templates: ValueTemplate[] =
    template.transport === "stdio"
      ? [
          ...template.args.flatMap((argument) => ("value" in argument ? [argument.value] : [])),
          ...unset(template.env, env),
        ]
      : [template.url, ...unset(template.headers, headers)];
  const names = new Set(templates.flat().flatMap((part) => (typeof part === "string" ? [] : [part.input])));
  return inputs.filter(({ name }) => names.has(name));
}

function unset(templates: { readonly [name: string]: ValueTemplate }, given: object): ValueTemplate[] {
  return Object.entries(templates).flatMap(([name, template]) => (Object.hasOwn(given, name) ? [] : [template]));
}
