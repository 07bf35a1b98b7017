/** What a client asks a workspace to be, checked: its shape here, what it says by those who use it. */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Json, WorkspaceSpec } from "@plugboard/contracts";

/** `folder` is what it is of unless it says. */
export function readSpec(body: unknown, folder: string | undefined): WorkspaceSpec {
  if (!isJsonObject(body)) throw wrong("a workspace is described by an object");
  const { cwd = folder, ...rest } = body;
  if (typeof cwd !== "string") throw wrong('a workspace needs its folder, "cwd"');
  if (cwd.includes("\0")) throw wrong('"cwd" can\'t be a folder');
  for (const [key, value] of Object.entries(rest)) {
    const shape = Object.hasOwn(SHAPES, key) ? SHAPES[key] : undefined;
    if (!shape) throw wrong(`a workspace has no ${JSON.stringify(key)}`);
    if (value !== undefined && !shape.fits(value)) throw wrong(`"${key}" must be ${shape.is}`);
  }
  return { ...rest, cwd };
}

interface Shape {
  readonly is: string;
  readonly fits: (value: Json) => boolean;
}

const EFFECTS: readonly string[] = ["allow", "ask", "deny"];

const SHAPES: { readonly [key: string]: Shape } = {
  servers: { is: "an object of definitions by their ids", fits: (value) => isObjectOf(value, isJsonObject) },
  permissions: {
    is: 'an object with lists of texts, "allow", "ask" and "deny"',
    fits: (value) => isObjectOf(value, isTexts) && Object.keys(value as object).every((key) => EFFECTS.includes(key)),
  },
  env: { is: "an object of texts", fits: (value) => isObjectOf(value, isText) },
  configFiles: { is: "a list of texts", fits: isTexts },
  exclude: { is: 'a list of patterns like "files:write_*"', fits: isTexts },
  naming: { is: "a text", fits: isText },
};

function isText(value: Json): boolean {
  return typeof value === "string";
}

function isTexts(value: Json): boolean {
  return Array.isArray(value) && value.every(isText);
}

function isObjectOf(value: Json, fits: (one: Json) => boolean): boolean {
  return isJsonObject(value) && Object.values(value).every((one) => one !== undefined && fits(one));
}

function wrong(what: string): HostError {
  return new HostError("USAGE", { what });
}
