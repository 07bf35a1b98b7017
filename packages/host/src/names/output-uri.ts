/**
 * The URIs of stored outputs: results that were too long for a client of the gateway. A long output has several parts.
 */
const PREFIX = "plugboard://output/";
/**
 * Can't be mistaken for a URI of a server called `output`: behind the id of a
 * server, a whole URI with a scheme follows.
 */
const OUTPUT_URI = /^plugboard:\/\/output\/([0-9a-f]{32})(?:\?part=([1-9]\d{0,8}))?$/;

interface OutputPartKey {
  readonly id: string;
  /** Counted from 1. */
  readonly part: number;
}

export function outputUri({ id, part }: OutputPartKey): string {
  return part === 1 ? `${PREFIX}${id}` : `${PREFIX}${id}?part=${part}`;
}

/** Returns undefined for a URI of another form. */
export function parseOutputUri(uri: string): OutputPartKey | undefined {
  const [, id, part = "1"] = OUTPUT_URI.exec(uri) ?? [];
  return id === undefined ? undefined : { id, part: Number(part) };
}
