/** Renders JSON that is safe to print: control and invisible characters are escaped. */
import { visibleJson } from "@plugboard/contracts";

export function renderJson(value: unknown): string {
  return `${visibleJson(value, 2)}\n`;
}

/** Returns undefined for a value that is nested too deeply to be serialized. A server can send such a value. */
export function tryRenderJson(value: unknown): string | undefined {
  try {
    return renderJson(value);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}
