/**
 * The operations: what a person does to the host. They change config files, permission rules, tokens and the files of
 * other clients. Each method names the right that it needs. Most rights belong only to the page and the socket. A
 * change that makes the host run a command is planned first. The plan shows the exact command, and only its id is sent
 * to test or save it.
 *
 * Each group has a file with its interface and the table of its methods. The daemon's routes and the methods of a
 * remote host are derived from these tables.
 */
import type { MethodSpec } from "../methods/method-spec.ts";
import { HOST_OPERATIONS } from "./host.ts";
import type { HostOperations } from "./host.ts";
import { SERVER_OPERATIONS } from "./servers.ts";
import type { ServerOperations } from "./servers.ts";
import { CONFIG_FILE_OPERATIONS } from "./config-files.ts";
import type { ConfigFileOperations } from "./config-files.ts";
import { PROFILE_OPERATIONS } from "./profiles.ts";
import type { ProfileOperations } from "./profiles.ts";
import { TOOL_OPERATIONS } from "./tools.ts";
import type { ToolOperations } from "./tools.ts";
import { RULE_OPERATIONS } from "./rules.ts";
import type { RuleOperations } from "./rules.ts";
import { TRANSFER_OPERATIONS } from "./transfer.ts";
import type { TransferOperations } from "./transfer.ts";
import { REGISTRY_OPERATIONS } from "./registry.ts";
import type { RegistryOperations } from "./registry.ts";
import { TOKEN_OPERATIONS } from "./tokens.ts";
import type { TokenOperations } from "./tokens.ts";
import { KEY_OPERATIONS } from "./keys.ts";
import type { KeyOperations } from "./keys.ts";
import { CLIENT_OPERATIONS } from "./clients.ts";
import type { ClientOperations } from "./clients.ts";
import { SECRET_OPERATIONS } from "./secrets.ts";
import type { SecretOperations } from "./secrets.ts";
import { TRUST_OPERATIONS } from "./trust.ts";
import type { TrustOperations } from "./trust.ts";
import { DIAGNOSIS_OPERATIONS } from "./diagnosis.ts";
import type { DiagnosisOperations } from "./diagnosis.ts";

export interface Operations
  extends
    HostOperations,
    ServerOperations,
    ConfigFileOperations,
    ProfileOperations,
    ToolOperations,
    RuleOperations,
    TransferOperations,
    RegistryOperations,
    TokenOperations,
    KeyOperations,
    ClientOperations,
    SecretOperations,
    TrustOperations,
    DiagnosisOperations {}

/** The name of a method on the wire, such as `operations.planServer`. */
export type OperationPath = `operations.${keyof Operations}`;

const SPECS: { readonly [Name in keyof Operations]: MethodSpec } = {
  ...HOST_OPERATIONS,
  ...SERVER_OPERATIONS,
  ...CONFIG_FILE_OPERATIONS,
  ...PROFILE_OPERATIONS,
  ...TOOL_OPERATIONS,
  ...RULE_OPERATIONS,
  ...TRANSFER_OPERATIONS,
  ...REGISTRY_OPERATIONS,
  ...TOKEN_OPERATIONS,
  ...KEY_OPERATIONS,
  ...CLIENT_OPERATIONS,
  ...SECRET_OPERATIONS,
  ...TRUST_OPERATIONS,
  ...DIAGNOSIS_OPERATIONS,
};

export const OPERATION_METHODS = Object.fromEntries(
  Object.entries(SPECS).map(([name, spec]) => [`operations.${name}`, spec]),
) as { readonly [Path in OperationPath]: MethodSpec };

export function isOperationPath(path: string): path is OperationPath {
  return Object.hasOwn(OPERATION_METHODS, path);
}
