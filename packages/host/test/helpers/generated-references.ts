/**
 * Generates JSON Schemas that contain one reference, in every valid form and in some invalid forms: encoded pointers,
 * anchors, absolute and relative ids, and ids along the path. The referenced schema may contain a slow pattern.
 */
import type { JsonObject } from "@plugboard/contracts";
import * as fc from "fast-check";

/** A pattern that takes exponential time. */
export const SLOW = "^(a+)+$";

const NAMES = ["a", "x", "", "a/b", "a~b", "a%b", "a b", "%61", "~1", "ä", "0", "#", "__proto__", "constructor"];
/** The keywords that lead from a schema on the path to the next one. */
const CONTAINERS = [
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
/** One step of the path from the root schema to the referenced schema. */
const step = fc.record({
  container: fc.oneof(
    { weight: 2, arbitrary: fc.constantFrom("$defs", "definitions") },
    fc.constantFrom(...CONTAINERS),
  ),
  name: fc.oneof({ weight: 2, arbitrary: fc.constant("a") }, fc.constantFrom(...NAMES)),
  /** Identifiers that the schema at this step has. */
  ownIdentifiers: identifiers,
  /** The name of a harmless schema next to the one at this step. */
  decoy: fc.option(fc.constantFrom(...NAMES)),
});
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

const escapePointer = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");
/** Correct and incorrect ways to write a name in a pointer. */
const ENCODINGS: ((name: string) => string)[] = [
  escapePointer,
  escapePointer,
  (name) => encodeURIComponent(escapePointer(name)),
  (name) => encodeURIComponent(name),
  (name) => [...Buffer.from(escapePointer(name))].map((byte) => `%${byte.toString(16)}`).join(""),
  (name) => encodeURIComponent(encodeURIComponent(name)),
  (name) => name,
];

/** Returns a JSON pointer to the end of the path. It starts at the root, or skips the first steps. */
const pointer = (path: readonly Step[], skippedSteps: number, encode: (name: string) => string) =>
  path
    .slice(skippedSteps)
    .map(({ container, name }) => `/${encode(container)}/${encode(name)}`)
    .join("");

const referenceForm = fc.record({
  base: fc.oneof(
    { weight: 4, arbitrary: fc.constant("") },
    fc.constantFrom(...IDS, "HTTP://X.test:80/root", "./other"),
  ),
  skippedSteps: fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 0, max: 3 })),
  encode: fc.constantFrom(...ENCODINGS),
  fragment: fc.oneof(
    { weight: 6, arbitrary: fc.constant("pointer") },
    fc.constantFrom("#", "#/", "#a", "#b", "", "#//"),
  ),
  suffix: fc.oneof({ weight: 4, arbitrary: fc.constant("") }, fc.constantFrom("#", "/", "#/", "?", "%")),
});

/** The form of references that most servers use. */
const plainStep = step.map((anyStep) => ({
  ...anyStep,
  container: anyStep.container === "$defs" ? "$defs" : "definitions",
  ownIdentifiers: {},
}));
const plainReferenceForm = fc.constant({
  base: "",
  skippedSteps: 0,
  encode: escapePointer,
  fragment: "pointer",
  suffix: "",
});

const schemaDocument = (path: fc.Arbitrary<Step[]>, reference: typeof referenceForm) =>
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
      const { base, skippedSteps, encode, fragment, suffix } = reference;
      const ref = {
        [keyword]: base + (fragment === "pointer" ? `#${pointer(path, skippedSteps, encode)}` : fragment) + suffix,
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
  { weight: 4, arbitrary: schemaDocument(fc.array(step, { minLength: 1, maxLength: 3 }), referenceForm) },
  { weight: 1, arbitrary: schemaDocument(fc.tuple(plainStep), plainReferenceForm) },
);

/** Builds a schema with the target at the end of the path. `hop` is a schema that only refers to the target. */
function nestTarget(path: readonly Step[], target: JsonObject, hop?: JsonObject): JsonObject {
  const [first, ...rest] = path;
  if (!first) return target;
  const { container, name, ownIdentifiers, decoy } = first;
  const inner = { ...nestTarget(rest, target), ...ownIdentifiers };
  const others = { ...(decoy !== null && { [decoy]: { type: "string" } }), ...(hop && { hop }) };
  const members = Object.fromEntries([...Object.entries(others), [name, inner]]);
  return {
    [container]: container === "enum" ? [inner] : members,
    ...(hop && container !== "$defs" && { $defs: { hop } }),
  };
}

/** Returns keywords that apply the reference at the given place of a schema. */
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
