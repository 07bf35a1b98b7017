/** The URIs of stored outputs: results that were too long for a client of the gateway. A long output has several parts. */
const PREFIX = "plugboard://output/";
/** No URI of a server called `output` looks like this, because it begins with a scheme. */
const OUTPUT_URI = /^plugboard:\/\/output\/([0-9a-f]{32})(?:\?part=([1-9]\d{0,8}))?$/;

interface OutputPartKey {
  readonly id: string;
  /** Counted from 1. */
  readonly part: number;
}

export function outputUri({ id, part }: OutputPartKey): string {
  return part === 1 ? `${PREFIX}${id}` : `${PREFIX}${id}?part=${part}`;
}

/** Returns undefined for another URI. */
export function parseOutputUri(uri: string): OutputPartKey | undefined {
  const [, id, part = "1"] = OUTPUT_URI.exec(uri) ?? [];
  return id === undefined ? undefined : { id, part: Number(part) };
}
