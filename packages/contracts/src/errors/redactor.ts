import type { HostError } from "./error.ts";

/** Removes the secrets of a server's definition from texts and errors. */
export interface Redactor {
  text(text: string): string;
  error(error: HostError): HostError;
}
