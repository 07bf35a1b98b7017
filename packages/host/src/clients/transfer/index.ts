/** The functions by which the command line moves servers between Plugboard and other clients. */
export { applyImport } from "./apply-import.ts";
export { writeExport } from "./write-export.ts";
export { keepPlainSecrets, planImport } from "./plan-import.ts";
export { readAllClients, readImportSource } from "./read-import-source.ts";
export { readStoredSecrets } from "./read-stored-secrets.ts";
