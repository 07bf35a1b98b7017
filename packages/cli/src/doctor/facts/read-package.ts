/** Reads the parts of a `package.json` that matter for diagnosis. Pure. */
import { isJsonObject } from "@plugboard/contracts";

export interface PackageFacts {
  readonly version?: string;
  /** The range of `engines.node`. */
  readonly engines?: string;
}

/** Returns no facts for invalid JSON. */
export function readPackage(text: string): PackageFacts {
  const { version, engines } = parseObject(text);
  const node = isJsonObject(engines) ? engines["node"] : undefined;
  return { ...(typeof version === "string" && { version }), ...(typeof node === "string" && { engines: node }) };
}

function parseObject(text: string) {
  try {
    const parsed: unknown = JSON.parse(text);
    return isJsonObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
}
