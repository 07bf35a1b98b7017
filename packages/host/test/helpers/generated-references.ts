/**
 * Generates schemas with one reference, in every form of JSON Schema and in some invalid ones: encoded pointers,
 * anchors, absolute and relative ids, and ids along the path. The referenced part may contain a slow pattern.
 */
import type { JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";

export const SLOW = "^(a+)+$";

const NAMES = ["a", "x", "", "a/b", "a~b", "a%b", "a b", "%61", "~1", "ä", "0", "#", "__proto__", "constructor"];
const HOLDERS = [
  "$defs",
  "definitions",
  "properties",
  "patternProperties",
  "dependentSchemas",
  "default",
  "enum",
  "ext",
];
const IDS = ["http://x.test/root", "http://x.test/dir/", "other", "dir/", "#a", "#", "urn:x:1", "?q", "", "/abs"];
const DIALECTS = [
  {},
  { $schema: "https://json-schema.org/draft/2020-12/schema" },
  { $schema: "https://json-schema.org/draft/2019-09/schema" },
  { $schema: "http://json-schema.org/draft-07/schema#" },
];

const identifiers = fc.oneof(
  { weight: 8, arbitrary: fc.constant({}) },
  fc.record({ $id: fc.constantFrom(...IDS) }),
  fc.record({ $anchor: fc.constantFrom("a", "b") }),
  fc.record({ $dynamicAnchor: fc.constantFrom("a", "b") }),
  fc.constant({ $recursiveAnchor: true }),
);
const step = fc.record({
  holder: fc.oneof({ weight: 2, arbitrary: fc.constantFrom("$defs", "definitions") }, fc.constantFrom(...HOLDERS)),
  name: fc.oneof({ weight: 2, arbitrary: fc.constant("a") }, fc.constantFrom(...NAMES)),
  /** Other keywords of the schema at this step. */
  beside: identifiers,
  /** A harmless schema under a similar name. */
  decoy: fc.option(fc.constantFrom(...NAMES)),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const escapePointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
const ENCODINGS: ((name: string) => string)[] = [
  escapePointer,
  escapePointer,
  (name) => encodeURIComponent(escapePointer(name)),
  (name) => encodeURIComponent(name),
  (name) => [...Buffer.from(escapePointer(name))].map((byte) => `%${byte.toString(16)}`).join(""),
  (name) => encodeURIComponent(encodeURIComponent(name)),
  (name) => name,
];

/** Returns the keys from the root, or from the nth step, to the slow pattern. */
const pointer = (path: readonly Step[], from: number, encode: (name: string) => string) =>
  path
    .slice(from)
    .map(({ holder, name }) => `/${encode(holder)}/${encode(name)}`)
    .join("");

const referenceForm = fc.record({
  base: fc.oneof(
    { weight: 4, arbitrary: fc.constant("") },
    fc.constantFrom(...IDS, "HTTP://X.test:80/root", "./other"),
  ),
  from: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 3 })),
  encode: fc.constantFrom(...ENCODINGS),
  fragment: fc.oneof(
    { weight: 6, arbitrary: fc.constant("pointer") },
    fc.constantFrom("#", "#/", "#a", "#b", "", "#//"),
  ),
  suffix: fc.oneof({ weight: 4, arbitrary: fc.constant("") }, fc.constantFrom("#", "/", "#/", "?", "%")),
});

/** Builds references as most servers write them. A name may be wrong. */
const plainStep = step.map((one) => ({ ...one, holder: one.holder === "$defs" ? "$defs" : "definitions", beside: {} }));
const plainReferenceForm = fc.constant({ base: "", from: 0, encode: escapePointer, fragment: "pointer", suffix: "" });

const documentOf = (path: fc.Arbitrary<Step[]>, reference: typeof referenceForm) =>
  fc
    .record({
      dialect: fc.constantFrom(...DIALECTS),
      root: identifiers,
      path,
      reference,
      keyword: fc.oneof({ weight: 8, arbitrary: fc.constant("$ref") }, fc.constantFrom("$dynamicRef", "$recursiveRef")),
      place: fc.constantFrom("root", "property", "sibling", "allOf", "items", "inside an id", "over a hop"),
      slow: fc.boolean(),
    })
    .map(({ dialect, root, path, reference, keyword, place, slow }): JsonObject => {
      const { base, from, encode, fragment, suffix } = reference;
      const ref = {
        [keyword]: base + (fragment === "pointer" ? `#${pointer(path, from, encode)}` : fragment) + suffix,
      };
      const target: JsonObject = slow ? { pattern: SLOW } : { type: "string", maxLength: 1 };
      return {
        ...nestTarget(path, target, place === "over a hop" ? ref : undefined),
        ...root,
        ...dialect,
        ...applyReference(ref, place),
      };
    });

export const schemaWithReference = fc.oneof(
  { weight: 4, arbitrary: documentOf(fc.array(step, { minLength: 1, maxLength: 3 }), referenceForm) },
  { weight: 1, arbitrary: documentOf(fc.tuple(plainStep), plainReferenceForm) },
);

/** Builds a schema with the target at the end of the path. */
function nestTarget(path: readonly Step[], target: JsonObject, hop?: JsonObject): JsonObject {
  const [first, ...rest] = path;
  if (!first) return target;
  const { holder, name, beside, decoy } = first;
  const inner = { ...nestTarget(rest, target), ...beside };
  const others = { ...(decoy !== null && { [decoy]: { type: "string" } }), ...(hop && { hop }) };
  const holds = Object.fromEntries([...Object.entries(others), [name, inner]]);
  return { [holder]: holder === "enum" ? [inner] : holds, ...(hop && holder !== "$defs" && { $defs: { hop } }) };
}

function applyReference(ref: JsonObject, place: string): JsonObject {
  switch (place) {
    case "root":
      return ref;
    case "sibling":
      return { properties: { x: { ...ref, type: ["string", "object"], allOf: [{ minLength: 1 }] } } };
    case "allOf":
      return { allOf: [{ properties: { x: ref } }] };
    case "items":
      return { properties: { x: { anyOf: [ref, { items: ref, type: "array" }] } } };
    case "inside an id":
      return { properties: { x: { $id: "dir/", allOf: [ref] } } };
    case "over a hop":
      return { properties: { x: { $ref: "#/$defs/hop" } } };
    default:
      return { properties: { x: ref } };
  }
}
