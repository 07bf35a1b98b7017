/** The URIs of stored outputs: results that were too long for a client of the gateway. */
const PREFIX = "plugboard://output/";
/** No URI of a server called `output` looks like this, because it begins with a scheme. */
const OUTPUT_URI = /^plugboard:\/\/output\/([0-9a-f]{32})$/;

export function outputUri(id: string): string {
  return `${PREFIX}${id}`;
}

/** Returns the id of the output, or undefined for another URI. */
export function parseOutputUri(uri: string): string | undefined {
  return OUTPUT_URI.exec(uri)?.[1];
}
