/**
 * Fills the template of a choice with the user's answers and returns a server entry. The entry never contains a secret.
 * It refers to secrets by name, and the result lists the names. Pure.
 */
import type {
  EntryValue,
  RegistryEntry,
  RegistryGivenValues,
  RegistryInputField,
  RegistrySecret,
  ServerEntry,
} from "@plugboard/contracts";
import { checkAnswers } from "./check-answer.ts";
import type { ArgumentTemplate, SupportedChoice, ValueTemplate } from "./server-choice.ts";

/** The answers by input name. Only a repeatable input may have several. */
export type InputAnswers = { readonly [input: string]: readonly string[] };

/** Throws USAGE for an unknown input and for an invalid answer. `id` is the id of the new server. */
export function fillChoice(
  choice: SupportedChoice,
  id: string,
  answers: InputAnswers = {},
  given: RegistryGivenValues = {},
): RegistryEntry {
  checkAnswers(choice, answers);
  const filling = new Filling(choice, id, answers, given);
  const entry = filling.entry();
  return { entry, secrets: filling.secrets, variables: [...filling.variables.values()] };
}

class Filling {
  readonly secrets: RegistrySecret[] = [];
  readonly variables = new Map<string, RegistryEntry["variables"][number]>();
  readonly #choice: SupportedChoice;
  readonly #inputs: ReadonlyMap<string, RegistryInputField>;
  readonly #id: string;
  readonly #answers: ReadonlyMap<string, readonly string[]>;
  readonly #given: RegistryGivenValues;

  constructor(choice: SupportedChoice, id: string, answers: InputAnswers, given: RegistryGivenValues) {
    this.#choice = choice;
    this.#inputs = new Map(choice.inputs.map((input) => [input.name, input]));
    this.#id = id;
    // A map, because the registry chooses the names. One of them may be `constructor`.
    this.#answers = new Map(Object.entries(answers));
    this.#given = given;
  }

  entry(): ServerEntry {
    const { template } = this.#choice;
    if (template.transport !== "stdio") {
      const url = this.#text(template.url, 0) ?? "";
      const headers = this.#values(template.headers, this.#given.headers);
      return { transport: template.transport, url, ...(Object.keys(headers).length > 0 && { headers }) };
    }
    const env = this.#values(template.env, this.#given.env);
    const args = template.args.flatMap((argument) => this.#argument(argument, Object.keys(env)));
    return {
      command: template.command,
      args: [...args, ...(this.#given.args ?? [])],
      ...(Object.keys(env).length > 0 && { env }),
    };
  }

  #values(
    templates: { readonly [name: string]: ValueTemplate },
    given: { readonly [name: string]: string } = {},
  ): { readonly [name: string]: EntryValue } {
    const unset = Object.entries(templates).filter(([name]) => !Object.hasOwn(given, name));
    const entries = unset.flatMap(([name, template]) => {
      const value = this.#value(template, name, 0);
      return value === undefined ? [] : [[name, value] as const];
    });
    return { ...Object.fromEntries(entries), ...given };
  }

  #argument(argument: ArgumentTemplate, environmentNames: readonly string[]): EntryValue[] {
    if ("eachEnvironmentName" in argument) {
      return environmentNames.flatMap((name) => [argument.eachEnvironmentName, name]);
    }
    const { value: template, joined } = argument;
    const flag = argument.flag === undefined ? undefined : appendLiteral("", argument.flag);
    const counts = this.#inputsOf(template).map(({ name }) => this.#answers.get(name)?.length ?? 0);
    return Array.from({ length: Math.max(1, ...counts) }, (_, index) => {
      const value = this.#value(template, flag ?? "", index);
      if (value === undefined) return [];
      if (flag === undefined) return [value];
      return joined && typeof value === "string" ? [`${flag}=${value}`] : [flag, value];
    }).flat();
  }

  /** Returns undefined if an optional input of the value has no answer. `index` selects one of several answers. */
  #value(template: ValueTemplate, name: string, index: number): EntryValue | undefined {
    const secretInputs = this.#inputsOf(template).filter(({ secret }) => secret);
    if (secretInputs.length === 0) return this.#text(template, index);
    const value = this.#secretText(template, index);
    if (value === undefined && !secretInputs.some(({ required }) => required)) return undefined;
    return { $secret: this.#needSecret(template, name || secretInputs[0]!.name, value, secretInputs[0]!) };
  }

  #needSecret(
    template: ValueTemplate,
    part: string,
    value: string | undefined,
    { description }: RegistryInputField,
  ): string {
    const fullName = `${this.#id}.${part.replace(/^-+/, "").replace(/[^\w.-]+/g, "_")}`;
    // The secret store rejects a name that starts with `.` or `-`. A server id may start with `-`.
    const name = fullName.replace(/^[.-]+/, "");
    const form = template.length > 1 && template.map((p) => (typeof p === "string" ? p : `{${p.input}}`)).join("");
    this.secrets.push({
      name,
      ...(description !== undefined && { description }),
      ...(form && { form }),
      ...(value !== undefined && { value }),
    });
    return name;
  }

  /**
   * Returns the text for a config file, or undefined if an optional input has no answer. A required input that has no
   * answer, or is a secret, becomes a reference to an environment variable.
   */
  #text(template: ValueTemplate, index: number): string | undefined {
    let text = "";
    for (const part of template) {
      if (typeof part === "string") {
        text = appendLiteral(text, part);
        continue;
      }
      const input = this.#inputs.get(part.input)!;
      const answer = input.secret ? undefined : this.#answerTo(input, index);
      // The user may answer with a `${…}` of their own. A default of the registry is literal.
      if (answer !== undefined) text += answer;
      else if (!input.secret && input.default !== undefined) text = appendLiteral(text, input.default);
      else if (input.required) text += this.#needVariable(input);
      else return undefined;
    }
    return text;
  }

  /** Returns the value of a secret. Returns undefined if an answer is missing. */
  #secretText(template: ValueTemplate, index: number): string | undefined {
    const parts = template.map((part) => {
      if (typeof part === "string") return part;
      const input = this.#inputs.get(part.input)!;
      // A published default is not a secret.
      return this.#answerTo(input, index) ?? (input.secret ? undefined : input.default);
    });
    return parts.includes(undefined) ? undefined : parts.join("");
  }

  #answerTo({ name }: RegistryInputField, index: number): string | undefined {
    const answers = this.#answers.get(name) ?? [];
    return answers[index] ?? answers.at(-1);
  }

  /** The prefix keeps a registry from choosing a variable that the user has set for another program. */
  #needVariable({ name, description }: RegistryInputField): string {
    const variable = toVariableName(`plugboard_input_${this.#id}_${name}`);
    this.variables.set(variable, { name: variable, ...(description !== undefined && { description }) });
    return `\${${variable}}`;
  }

  #inputsOf(template: ValueTemplate): RegistryInputField[] {
    return template.flatMap((part) => (typeof part === "string" ? [] : [this.#inputs.get(part.input)!]));
  }
}

/** Escapes `${`, so that text from a registry can't read the user's environment variables. */
function appendLiteral(text: string, literal: string): string {
  const escaped = literal.replaceAll("${", () => "$${");
  return text.endsWith("$") && literal.startsWith("{") ? `${text}$${escaped}` : `${text}${escaped}`;
}

function toVariableName(name: string): string {
  return name.replace(/[^A-Za-z0-9]+/g, "_").toUpperCase();
}
