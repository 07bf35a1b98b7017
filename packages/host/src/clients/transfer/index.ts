/** The functions by which the command line moves servers between Plugboard and other clients. */
export { applyImport } from "./apply-import.ts";
export { extractNamedSecrets } from "./extract-named-secrets.ts";
export { writeExport } from "./write-export.ts";
export { keepPlainSecrets, planImport } from "./plan-import.ts";
export { readAllClients, readImportSource } from "./read-import-source.ts";
export { readStoredSecrets } from "./read-stored-secrets.ts";
export { SecretNames } from "./secret-names.ts";
export { toPlainEntry } from "../entry/to-plain-entry.ts";
