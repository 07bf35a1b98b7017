/** Uses every operation, in cases that succeed and in cases that fail. */
import { scriptedLegacy } from "@plugboard/testkit/start-server";
import type { Transcript } from "./operations-transcript.ts";

const SCOPE = "user" as const;

export async function useServers(transcript: Transcript): Promise<void> {
  await transcript.call("overview");
  await transcript.call("callFailure", "a call that nobody made");
  await transcript.call("definitions", "s");
  await transcript.call("describeServer", "s");
  await transcript.fail("describeServer", "unknown");
  await transcript.call("listScope", SCOPE);
  await transcript.call("unknownServers", ["s", "unknown"]);
  await transcript.call("parseEntry", '{"command": "run"}');
  await transcript.call("parseEntry", "{");
  await transcript.fail("planServer", { id: "new", scope: SCOPE, entry: { command: "" } });
  const { plan } = await transcript.call("planServer", { id: "new", scope: SCOPE, entry: scriptedLegacy() });
  await transcript.call("testServer", plan);
  await transcript.fail("testServer", "no plan");
  await transcript.call("saveServer", plan);
  await transcript.fail("planServer", { id: "new", scope: SCOPE, entry: { command: "other" } });
  await transcript.call("enableServer", "new", false);
  await transcript.call("enableServer", "new", true, SCOPE);
  await transcript.fail("enableServer", "unknown", true);
  await transcript.call("removeServers", ["new"]);
  await transcript.fail("removeServers", ["unknown"]);
}

export async function useConfigFiles(transcript: Transcript): Promise<void> {
  await transcript.call("configFiles");
  await transcript.call("checkConfig");
  await transcript.fail("checkConfig", "missing.json");
  await transcript.call("openConfigFile", SCOPE);
  await transcript.call("configSchema");
  await transcript.call("configProblems");
  await transcript.call("configFacts");
}

export async function useTools(transcript: Transcript): Promise<void> {
  await transcript.call("enableTool", "s", "echo", false);
  await transcript.call("hiddenTools");
  await transcript.call("enableTool", "s", "echo", true);
  await transcript.fail("enableTool", "unknown", "echo", true);
  await transcript.call("frontNames", "s", "echo");
}

export async function useRules(transcript: Transcript): Promise<void> {
  await transcript.call("addRules", "deny", ["s:fail"]);
  await transcript.call("addRules", "ask", ["s:fail"]);
  await transcript.call("rules", { server: "s" });
  await transcript.fail("addRules", "allow", ["no tool"]);
  await transcript.call("removeRules", { rules: ["s:fail"] });
  const [decision] = await transcript.call("decisions");
  await transcript.call("revokeDecision", decision!.id);
  await transcript.fail("revokeDecision", decision!.id);
  await transcript.call("decisions");
}

export async function useProfiles(transcript: Transcript): Promise<void> {
  await transcript.call("setProfile", "mine", { servers: ["s"] });
  await transcript.fail("setProfile", "bad", { servers: "s" } as never);
  await transcript.call("profiles");
  await transcript.call("removeProfile", "mine");
  await transcript.fail("removeProfile", "mine");
}

export async function useTokens(transcript: Transcript): Promise<void> {
  await transcript.call("createToken", "laptop", { mayApprove: true });
  await transcript.fail("createToken", "laptop");
  await transcript.call("tokens");
  await transcript.call("revokeToken", "laptop");
  await transcript.fail("revokeToken", "laptop");
}

export async function useKeys(transcript: Transcript): Promise<void> {
  await transcript.call("keys");
  const first = await transcript.call("rotateKey");
  await transcript.fail("dropKey", first);
  await transcript.call("rotateKey");
  await transcript.call("keys");
  await transcript.call("dropKey", first);
  await transcript.fail("dropKey", first);
  await transcript.call("keys");
}

export async function useSecrets(transcript: Transcript): Promise<void> {
  await transcript.call("setSecret", "key", "s3cret");
  await transcript.fail("setSecret", "-", "s3cret");
  await transcript.call("secrets");
  await transcript.call("removeSecret", "key");
  await transcript.fail("removeSecret", "key");
}

export async function useTrust(transcript: Transcript): Promise<void> {
  const [pending] = await transcript.call("pendingServers");
  await transcript.call("trustStates", ["shared", "s"]);
  await transcript.fail("trustServer", "shared", "another hash");
  await transcript.call("trustServer", "shared", pending!.hash);
  await transcript.call("pendingServers");
  await transcript.call("distrustServers", ["shared", "s"]);
}

export async function useRegistry(transcript: Transcript): Promise<void> {
  const { servers } = await transcript.call("searchRegistry", ["filesystem"], { limit: 5 });
  const { name, version, choices } = servers[0]!;
  await transcript.call("registryServer", name);
  await transcript.fail("registryServer", "io.github.example/unknown");
  const choice = choices.find((each) => "inputs" in each)!;
  const [input] = choice.inputs;
  await transcript.call("checkRegistryValue", input!, "/data");
  const filling = { id: "fs", name, choice: choice.label, values: { [input!.name]: ["/data"] } };
  await transcript.call("fillRegistryChoice", filling);
  await transcript.call("fillRegistryChoice", { ...filling, version });
  await transcript.fail("fillRegistryChoice", { ...filling, choice: "unknown" });
  await transcript.call("planRegistryServer", { ...filling, scope: SCOPE });
}

export async function useOtherClients(transcript: Transcript): Promise<void> {
  await transcript.call("importFiles");
  const { plan, files } = await transcript.call("planImport", { source: "cursor" });
  await transcript.fail("planImport", { source: "cursor", only: ["unknown"] });
  await transcript.call("importServers", plan, [files[0]!.servers[0]!.key]);
  await transcript.fail("importServers", "no plan", []);
  await transcript.call("exportServers", "cursor");
  await transcript.call("clients");
  await transcript.call("connectInstructions", "cursor");
  const connecting = await transcript.call("planConnect", "cursor");
  await transcript.fail("planConnect", "cursor", { profile: "unknown" });
  await transcript.call("changeClient", connecting.plan);
  await transcript.fail("changeClient", "no plan");
  const disconnecting = await transcript.call("planDisconnect", "cursor");
  await transcript.call("changeClient", disconnecting.plan);
}
