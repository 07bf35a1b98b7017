/**
 * Turns the inputs of a registry's server into templates, and collects the inputs that the user supplies. For example,
 * the value `Bearer {token}` becomes the template `["Bearer ", { input: "token" }]`, and `token` is added to the list.
 */
import type { RegistryInputField } from "@plugboard/contracts";
import type { RegistryArgument, RegistryInput, RegistryPair } from "./registry-server.ts";
import type { ArgumentTemplate, ValueTemplate } from "./server-choice.ts";

type Place = Pick<RegistryInputField, "where"> & { readonly repeated?: boolean };

export class ChoiceInputs {
  /** The inputs that the user supplies. */
  readonly list: RegistryInputField[] = [];

  argument(argument: RegistryArgument): ArgumentTemplate {
    const { flag, hint, format, repeated } = argument;
    // The name of the input, such as `port` for the flag `--port=`.
    const name = flag?.replace(/^-+|=$/g, "") ?? hint ?? "argument";
    const value = this.value(argument, name, { where: "argument", repeated });
    if (flag === undefined) return { value };
    // A boolean is written as `--flag=true`, because many programs read a word after the flag as another argument.
    const joined = flag.endsWith("=") || format === "boolean";
    return { flag: flag.replace(/=$/, ""), value, ...(joined && { joined }) };
  }

  pairs(pairs: readonly RegistryPair[], where: "environment" | "header"): { readonly [name: string]: ValueTemplate } {
    return Object.fromEntries(pairs.map((pair) => [pair.name, this.value(pair, pair.name, { where })]));
  }

  /**
   * Returns the template of a value, and adds its inputs to the list. If the publisher has not fixed the value, the
   * whole value is one input, called `name`. Otherwise each variable in the value is an input.
   */
  value(input: RegistryInput, name: string, place: Place): ValueTemplate {
    if (input.value === undefined) return [{ input: this.#add(name, input, place) }];
    /** The names of the added inputs, by variable. */
    const names = new Map<string, string>();
    return splitAtVariables(input.value).map((part) => {
      if (!("variable" in part)) return part.text;
      const variable = variableOf(part.variable, input, place);
      if (!variable) return `{${part.variable}}`;
      if (variable.value !== undefined) return variable.value;
      // A variable that occurs twice in a value is one input.
      const known = names.get(part.variable) ?? this.#add(part.variable, variable, place);
      names.set(part.variable, known);
      return { input: known };
    });
  }

  #add(wanted: string, input: RegistryInput, { where, repeated = false }: Place): string {
    let name = wanted;
    for (let number = 2; this.list.some((other) => other.name === name); number++) name = `${wanted}-${number}`;
    this.list.push({ name, where, repeated, ...describedFields(input) });
    return name;
  }
}

/** Returns the fields that describe an input to the user. Leaves out those that only arguments or pairs have. */
function describedFields(input: RegistryInput): Omit<RegistryInput, "value" | "variables"> {
  const { required, secret, format, description, default: fallback, placeholder, choices } = input;
  return {
    required,
    secret,
    format,
    ...(description !== undefined && { description }),
    ...(fallback !== undefined && { default: fallback }),
    ...(placeholder !== undefined && { placeholder }),
    ...(choices !== undefined && { choices }),
  };
}

/**
 * Returns a variable of a value. The variable is required or secret if the value is. Returns undefined for a name in
 * braces that is literal text.
 */
function variableOf(name: string, input: RegistryInput, { where }: Place): RegistryInput | undefined {
  const { required, secret, variables, description } = input;
  const variable = Object.hasOwn(variables, name) ? variables[name] : undefined;
  if (variable) return { ...variable, required: variable.required || required, secret: variable.secret || secret };
  // Many publishers write `Bearer {token}` without declaring the variable. The literal text would be useless.
  if (where === "url" || !(required || secret)) return undefined;
  return { required, secret, format: "string", ...(description !== undefined && { description }), variables: {} };
}

/** Splits `a{b}c` into the text `a`, the variable `b` and the text `c`. */
function splitAtVariables(value: string): ({ readonly text: string } | { readonly variable: string })[] {
  return value
    .split(/(\{[A-Za-z_][\w-]*\})/)
    .filter((part) => part !== "")
    .map((part) => (/^\{.*\}$/.test(part) ? { variable: part.slice(1, -1) } : { text: part }));
}
