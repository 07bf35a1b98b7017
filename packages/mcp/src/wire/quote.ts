/** A value of the other side's, for a message to name: never longer or deeper than is good for us. */
const LONGEST = 100;

export function quote(value: unknown): string {
  switch (typeof value) {
    case "string":
      return JSON.stringify(value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
    case "object":
      return value === null ? "null" : Array.isArray(value) ? "(a list)" : "(an object)";
    default:
      return String(value);
  }
}
