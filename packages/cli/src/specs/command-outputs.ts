/**
 * What commands print with --json, by the name of the schema in `packages/cli/schemas`.
 * `scripts/docs/output-schemas.mjs` generates the schemas from these types.
 */
import type {
  ActivityEntry,
  ChatEvent,
  Completion,
  ConfigCheck,
  GetPromptResult,
  JsonObject,
  KeyInfo,
  LoginList,
  LogoutReport,
  OfferedTool,
  PageLink,
  ProfileInfo,
  PromptList,
  Question,
  RemovedServer,
  ResourceContents,
  ResourceList,
  ResourceTemplateList,
  SecretList,
  ServerStatus,
  Skill,
  SkillFileContents,
  SkillList,
  ToolResult,
} from "@plugboard/contracts";
import type { ServerLogLine } from "@plugboard/contracts";
import type { ServerCheck } from "../checks/check-server.ts";
import type { Suggestion } from "../command-line/complete-words.ts";
import type { FinishedRun } from "../commands/chat/run-outputs.ts";
import type { ShellName } from "../commands/shell/print-completion.ts";
import type { Finding } from "../doctor/checks/finding.ts";
import type {
  InboxAnswerOutput,
  InboxOutput,
  PermissionsListOutput,
  PermissionsOutput,
  PermissionsResetOutput,
  SecretRemoveOutput,
  SecretSetOutput,
  TokenCreateOutput,
  TokenListOutput,
  TrustOutput,
} from "../outputs/access-outputs.ts";
import type {
  ConnectOutput,
  DisconnectOutput,
  ExportOutput,
  ImportOutput,
  SearchOutput,
} from "../outputs/client-outputs.ts";
import type { AddOutput, ConfigFileOutput, EnableOutput, GetOutput, ProfileOutput } from "../outputs/config-outputs.ts";
import type {
  CallStatsLine,
  ListedServer,
  RestartOutput,
  ServeOutput,
  ServiceInstallOutput,
  ServiceStatusOutput,
  ServiceUninstallOutput,
  StatusOutput,
  StopOutput,
  PurgeOutput,
} from "../outputs/host-outputs.ts";

export interface CommandOutputs {
  /** The output has one JSON object per line, oldest first. It contains no arguments and no results of calls. */
  readonly activity: ActivityEntry | CallStatsLine;
  readonly add: AddOutput;
  readonly "auth-list": LoginList;
  /** The tool's result, as the server sent it. */
  readonly call: ToolResult;
  readonly complete: Completion;
  readonly completion: { readonly shell: ShellName; readonly script: string };
  readonly "config-path": readonly ConfigFileOutput[];
  /** A JSON Schema (draft 7). */
  readonly "config-schema": JsonObject;
  readonly "config-validate": ConfigCheck;
  readonly connect: ConnectOutput;
  readonly disconnect: DisconnectOutput;
  readonly doctor: {
    /** False if there is an error. The exit status is then 1. */
    readonly ok: boolean;
    /** The version of Plugboard. */
    readonly version: string;
    /** The version of Node that runs Plugboard. */
    readonly node: string;
    /** Errors first, then warnings, then what is fine. */
    readonly findings: readonly Finding[];
  };
  readonly enable: EnableOutput;
  readonly export: ExportOutput;
  readonly get: GetOutput;
  readonly import: ImportOutput;
  readonly inbox: InboxOutput;
  readonly "inbox-answer": InboxAnswerOutput;
  readonly "inbox-show": Question;
  readonly "keys-drop": { readonly id: string };
  readonly "keys-list": { readonly keys: readonly KeyInfo[] };
  /** The new key. */
  readonly "keys-rotate": { readonly id: string };
  readonly list: readonly ListedServer[];
  /** The status of the server after the login. */
  readonly login: ServerStatus;
  readonly logout: LogoutReport;
  /** The output has one JSON object per line, oldest first. Without a server, each line names its server. */
  readonly logs: ServerLogLine & {
    /** Absent in the log of one server. */
    readonly server?: string;
  };
  readonly permissions: PermissionsOutput;
  readonly "permissions-list": PermissionsListOutput;
  readonly "permissions-reset": PermissionsResetOutput;
  readonly profile: ProfileOutput;
  readonly "profile-list": readonly ProfileInfo[];
  readonly "prompt-get": GetPromptResult;
  readonly prompts: Omit<PromptList, "dropped">;
  /** An object for one server, a list for several. */
  readonly remove: RemovedServer | readonly RemovedServer[];
  readonly purge: PurgeOutput;
  readonly "resource-read": { readonly server: string; readonly contents: readonly ResourceContents[] };
  readonly resources: Pick<ResourceList, "resources"> & Pick<ResourceTemplateList, "templates" | "errors">;
  readonly restart: RestartOutput;
  /** The result of the turn. If the model did not finish, the error is printed to stderr as well. */
  readonly run: FinishedRun;
  /** With --output stream-json, one JSON object per line: the events of the turn, then its result. */
  readonly "run-stream": ChatEvent | (FinishedRun & { readonly type: "result" });
  readonly search: SearchOutput;
  readonly "secret-list": SecretList;
  readonly "secret-remove": SecretRemoveOutput;
  readonly "secret-set": SecretSetOutput;
  readonly serve: ServeOutput;
  readonly "service-install": ServiceInstallOutput;
  readonly "service-status": ServiceStatusOutput;
  readonly "service-uninstall": ServiceUninstallOutput;
  /** One file of a skill, or the skill if the argument names no file. */
  readonly "skill-read": SkillFileContents | (Skill & { readonly server: string });
  readonly skills: Omit<SkillList, "dropped">;
  readonly status: StatusOutput;
  readonly stop: StopOutput;
  readonly suggest: readonly Suggestion[];
  readonly test: {
    /** True if all servers work and offer the required tools. */
    readonly ok: boolean;
    readonly servers: readonly ServerCheck[];
    /** The tools of --require that are not offered, and the most similar one that is. */
    readonly missingTools: readonly { readonly tool: string; readonly suggestion?: string }[];
  };
  readonly "token-create": TokenCreateOutput;
  readonly "token-list": TokenListOutput;
  readonly "token-revoke": { readonly name: string };
  readonly "token-show": { readonly token: string };
  /** A list of tools, or one tool if the argument names it. */
  readonly tools: readonly OfferedTool[] | OfferedTool;
  readonly trust: TrustOutput;
  readonly types: {
    /** The declared tools, as server:tool. */
    readonly tools: readonly string[];
    /** The TypeScript declarations, unless they were written to a file. */
    readonly types?: string;
    /** The file that was written. */
    readonly file?: string;
  };
  readonly ui: PageLink;
}
