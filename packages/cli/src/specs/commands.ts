/** The list of all commands, in the order of the help. */
import type { CommandGroup, CommandSpec } from "../command-line/command-spec.ts";
import { agentCommands } from "./chat.ts";
import { clientCommands } from "./clients.ts";
import { contentCommands } from "./content.ts";
import { diagnosisCommands } from "./diagnosis.ts";
import { hostingCommands } from "./hosting.ts";
import { inboxCommands } from "./inbox.ts";
import { keyCommands } from "./keys.ts";
import { loginCommands } from "./logins.ts";
import { configCommands } from "./config.ts";
import { permissionRuleCommands } from "./permission-rules.ts";
import { trustCommands } from "./trust.ts";
import { registryCommands } from "./registry.ts";
import { secretCommands } from "./secrets.ts";
import { serverConfigCommands } from "./server-config.ts";
import { serverCommands } from "./servers.ts";
import { shellCommands } from "./shell.ts";
import { tokenCommands } from "./tokens.ts";
import { toolCommands } from "./tools.ts";

export const GROUPS: readonly CommandGroup[] = [
  { title: "Chat", commands: agentCommands },
  { title: "Servers", commands: [...serverConfigCommands, ...serverCommands, ...registryCommands] },
  { title: "Tools", commands: toolCommands },
  { title: "Resources, prompts and skills", commands: contentCommands },
  { title: "Logins and secrets", commands: [...loginCommands, ...secretCommands] },
  { title: "Permissions", commands: [...trustCommands, ...permissionRuleCommands, ...inboxCommands] },
  { title: "Config files", commands: configCommands },
  { title: "Other clients", commands: clientCommands },
  { title: "Diagnosis", commands: diagnosisCommands },
  { title: "Host and other programs", commands: [...hostingCommands, ...tokenCommands, ...keyCommands] },
  { title: "Shell", commands: shellCommands(() => COMMANDS) },
];

export const COMMANDS: readonly CommandSpec[] = GROUPS.flatMap(({ commands }) => commands);
