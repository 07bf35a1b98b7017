/** Searches MCP registries, and makes definitions of their servers. */
export { checkAnswer } from "./check-answer.ts";
export { fillChoice } from "./fill-choice.ts";
export { RegistryClient } from "./registry-client.ts";
export type { RegistryServer } from "./registry-server.ts";
export { OFFICIAL_REGISTRY, parseRegistryUrl } from "./registry-url.ts";
export type { SupportedChoice } from "./server-choice.ts";
export { suggestServerId } from "./suggest-server-id.ts";
export { isSupported, toChoices } from "./to-choices.ts";
export { unsetInputs } from "./unset-inputs.ts";
