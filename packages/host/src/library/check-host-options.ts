/** Rejects options that the library does not know. A misspelt option would otherwise be ignored without notice. */
import { HostError, nearest } from "@plugboard/contracts";
import type { ConfigLayer, ConnectOptions } from "@plugboard/contracts";
import type { CreateHostOptions, HostPorts } from "./create-host-options.ts";
import { unknownOption } from "../lib/unknown-option.ts";

/** An object with every option of `T` as a key. Does not compile if an option is missing. */
type OptionNames<T> = { readonly [Key in keyof Required<T>]: true };

const OPTIONS: OptionNames<CreateHostOptions> = {
  servers: true,
  config: true,
  configFiles: true,
  cwd: true,
  permissions: true,
  exclude: true,
  naming: true,
  nativeTools: true,
  resourceTools: true,
  ports: true,
  secrets: true,
  keyring: true,
  env: true,
  persist: true,
  questionDeadlineMs: true,
  managedConfigPath: true,
  limits: true,
};

const PORTS: OptionNames<HostPorts> = {
  answer: true,
  model: true,
  roots: true,
  openUrl: true,
};

const LAYERS: { readonly [Layer in ConfigLayer]: true } = { managed: true, user: true, project: true, local: true };

const CONNECT_OPTIONS: OptionNames<ConnectOptions> = { definition: true, signal: true };

export function checkHostOptions(options: CreateHostOptions): void {
  for (const option of Object.keys(options)) throwIfUnknown(option, OPTIONS, "option");
  for (const port of Object.keys(options.ports ?? {})) throwIfUnknown(port, PORTS, "port");
  const { config = [] } = options;
  if (!Array.isArray(config)) {
    const reason = `"config" must be a list of layers (${Object.keys(LAYERS).join(", ")})`;
    throw new HostError("OPTION_INVALID", { option: "config", reason });
  }
  for (const layer of config) throwIfUnknown(String(layer), LAYERS, "config layer");
}

/** Rejects `connect(id, { command })`, which must be `connect(id, { definition: { command } })`. */
export function checkConnectOptions(options: object): void {
  const option = Object.keys(options).find((name) => !Object.hasOwn(CONNECT_OPTIONS, name));
  if (option === undefined) return;
  const misspelt = nearest(option, Object.keys(CONNECT_OPTIONS));
  const advice = misspelt === undefined ? '; the keys of a server belong in "definition"' : "";
  throw new HostError("OPTION_INVALID", {
    method: "servers.connect",
    option,
    reason: `unknown option "${option}"${advice}`,
    suggestion: misspelt ?? "definition",
  });
}

function throwIfUnknown(option: string, known: object, kind: string): void {
  if (!Object.hasOwn(known, option)) throw unknownOption(undefined, option, Object.keys(known), kind);
}
