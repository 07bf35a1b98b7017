/** Builds the environment of a server: a fixed list of the host's variables, plus the variables from its definition. */
import { INSTANCE_VARIABLE, readInstanceVariable } from "@plugboard/contracts";

/** Proxies and certificates. */
const NETWORK_VARIABLES = [
  "HTTP_PROXY",
  "HTTPS_PROXY",
  "ALL_PROXY",
  "NO_PROXY",
  "http_proxy",
  "https_proxy",
  "all_proxy",
  "no_proxy",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
  "REQUESTS_CA_BUNDLE",
  "CURL_CA_BUNDLE",
];

const POSIX_VARIABLES = [
  "HOME",
  "LOGNAME",
  "PATH",
  "SHELL",
  "TERM",
  "USER",
  "LANG",
  "LC_ALL",
  "TMPDIR",
  "TZ",
  ...NETWORK_VARIABLES,
];

const WINDOWS_VARIABLES = [
  "APPDATA",
  "COMSPEC",
  "HOMEDRIVE",
  "HOMEPATH",
  "LOCALAPPDATA",
  "NUMBER_OF_PROCESSORS",
  "OS",
  "PATH",
  "PATHEXT",
  "PROCESSOR_ARCHITECTURE",
  "PROGRAMDATA",
  "PROGRAMFILES",
  "PROGRAMFILES(X86)",
  "SYSTEMDRIVE",
  "SYSTEMROOT",
  "TEMP",
  "TMP",
  "USERNAME",
  "USERPROFILE",
  "WINDIR",
  ...NETWORK_VARIABLES,
];

export interface Environment {
  readonly [name: string]: string | undefined;
}

export function serverEnvironment(
  parentEnv: Environment,
  configuredEnv: Environment,
  platform: NodeJS.Platform,
): Environment {
  // Windows ignores case, so only one spelling of a name may be passed.
  const normalize = (name: string) => (platform === "win32" ? name.toUpperCase() : name);
  const allowed = new Set((platform === "win32" ? WINDOWS_VARIABLES : POSIX_VARIABLES).map(normalize));
  const replaced = new Set(Object.keys(configuredEnv).map(normalize));
  const inherited = Object.entries(parentEnv).filter(
    ([name]) => allowed.has(normalize(name)) && !replaced.has(normalize(name)),
  );
  // Node passes its own coverage folder to every child process, unless the variable is present here.
  return { NODE_V8_COVERAGE: undefined, ...Object.fromEntries(inherited), ...configuredEnv };
}

const MAX_INSTANCES = 16;

/** Adds the id of this host to the ids of the hosts that started it. */
export function instanceVariable(parentEnv: Environment, instance: string): Environment {
  const hostIds = [...readInstanceVariable(parentEnv), instance].slice(-MAX_INSTANCES);
  return { [INSTANCE_VARIABLE]: hostIds.join(",") };
}
