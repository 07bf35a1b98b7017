/** Config files: their layers, the definitions in them, and what they resolve to. */
export { definitionHash, variablesOf } from "./definition/definition-hash.ts";
export { expandableTexts, secretReferencesOf } from "./definition/definition-references.ts";
export { AUTH_KEY_TYPES } from "./definition/definition.ts";
export type { Auth, ConfiguredSandbox, ConfiguredServer, ServerDefinition } from "./definition/definition.ts";
export { ENTRY_DEFAULTS } from "./definition/entry-defaults.ts";
export { COMBINED_KEYS, LIVE_KEYS } from "./definition/live-keys.ts";
export { DEFAULT_PORT } from "./definition/gateway-link.ts";
export { isPlugboardItself } from "./definition/is-plugboard-itself.ts";
export { isProjectSource } from "./definition/project-limits.ts";
export { validateHeader } from "./entry/validate-header.ts";
export { validateServerId } from "./entry/validate-server-id.ts";
export { userConfigPath } from "./files/config-paths.ts";
export { requireScopeFiles } from "./files/find-scope-files.ts";
export type { ConfigScope } from "./files/find-scope-files.ts";
export { envReferencesIn, replaceEnvReferences } from "./lib/env-references.ts";
export { toCamelKeys } from "./lib/key-case.ts";
export { MAX_YAML_CHARS, parseYaml } from "./lib/parse-yaml.ts";
export { findJsonError } from "./parse/parse-config-text.ts";
export { configErrorToProblems } from "./read/config-error-to-problems.ts";
export type { IsTrusted } from "./read/merge-layers.ts";
export { ProjectLayerCache } from "./read/project-layer-cache.ts";
export { readConfig } from "./read/read-config.ts";
export type { Config } from "./read/read-config.ts";
export type { GatewayAuth, GatewaySettings } from "./read/read-gateway-settings.ts";
export { GATEWAY_KEYS } from "./sections/section-keys.ts";
export type { ModelSection } from "./read/read-model-section.ts";
export { describeConfigured } from "./redaction/describe-configured.ts";
export { describeTarget } from "./redaction/describe-target.ts";
export { liveRedactor } from "./redaction/live-redactor.ts";
export { redactArguments } from "./redaction/redact-arguments.ts";
export type { RedactedArguments } from "./redaction/redact-arguments.ts";
export { describeAccess, isCodeVariable, maskEntry, redactedEntry, unmaskedEntry } from "./redaction/redacted-entry.ts";
export { createRedactor } from "./redaction/redactor.ts";
export { targetSecrets } from "./redaction/target-secrets.ts";
export { configuredModels } from "./resolve/configured-models.ts";
export type { ConfiguredModels } from "./resolve/configured-models.ts";
export type { SecretPorts } from "./resolve/fetch-secrets.ts";
export { narrowRoots } from "./resolve/narrow-roots.ts";
export { pathVariables, placeVariables, selectVariables } from "./resolve/path-variables.ts";
export { referencedEnv } from "./lazy.ts";
export { referencedNames } from "./resolve/referenced-names.ts";
export {
  requireValidDefinition,
  resolveRoots,
  resolveServer,
  resolveWithoutSecrets,
} from "./resolve/resolve-server.ts";
export type { ResolvePorts, ResolvedServer } from "./resolve/resolve-server.ts";
export type { ArgumentPattern } from "./rules/argument-pattern.ts";
export { parseGlob } from "./rules/glob.ts";
export { parseRule, parseRuleOrError, parseRules } from "./rules/rule.ts";
export type { Effect, Rule, RuleTexts } from "./rules/rule.ts";
export { looksLikeUrl } from "./rules/url-pattern.ts";
export { urlSpellings } from "./rules/url-spellings.ts";
