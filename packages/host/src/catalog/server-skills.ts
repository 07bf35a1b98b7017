/**
 * Lists the skills of all servers of a workspace, gets a skill by its URI, and reads its files. Servers that do not
 * declare skills have none, whatever the URIs of their resources are.
 */
import { HostError, isJsonObject } from "@plugboard/contracts";
import type { Skill, SkillFileContents, SkillList } from "@plugboard/contracts";
import { parseSkill, unusableSkillReason } from "@plugboard/mcp";
import type { Connection } from "@plugboard/mcp";
import type { RequestContext } from "../calls/ask-user.ts";
import { compareSkillFile } from "./compare-skill-file.ts";
import { listAcrossServers } from "./list-across-servers.ts";
import type { CatalogPorts, ServerListOptions } from "./list-across-servers.ts";
import type { ServerResources } from "./server-resources.ts";

export class ServerSkills {
  readonly #ports: CatalogPorts;
  readonly #resources: ServerResources;

  constructor(ports: CatalogPorts, resources: ServerResources) {
    this.#ports = ports;
    this.#resources = resources;
  }

  async list(options?: ServerListOptions): Promise<SkillList> {
    const listMethod = { method: "skills/list", list: (connection: Connection) => connection.skills() };
    const { items: skills, report } = await listAcrossServers(this.#ports, listMethod, options);
    return { skills, ...report };
  }

  async get(server: string, uri: string, context: RequestContext): Promise<Skill & { readonly server: string }> {
    if (typeof uri !== "string" || uri === "")
      throw new HostError("INVALID_ARGUMENTS", { reason: "the URI is missing" });
    const { targets, requests } = this.#ports;
    const method = "skills/get";
    const request = { method: "extension", params: { method, params: { uri } } } as const;
    const { skill: value } = await requests.run(request, targets.get(server, method), context);
    const skill = isJsonObject(value) ? parseSkill(uri, value) : undefined;
    const reason = skill ? unusableSkillReason(skill) : "it is not an object";
    if (reason !== undefined) throw new HostError("UNEXPECTED_RESPONSE", { server, reason: `the skill: ${reason}` });
    return { ...(skill as Skill), server };
  }

  /** Throws NOT_FOUND for a file that the server does not list among the files of the skill. */
  async read(server: string, uri: string, file: string, context: RequestContext): Promise<SkillFileContents> {
    const skill = await this.get(server, uri, context);
    // A skill has the URI of its SKILL.md. A server that generates the files (`dynamic`) does not list them.
    if (file !== uri && skill.files !== "dynamic" && !skill.files.some((listed) => listed.uri === file))
      throw new HostError("NOT_FOUND", { subject: `file "${file}" in the skill "${uri}" of "${server}"` });
    const contents = await this.#resources.read(server, file, context);
    return { server, uri: file, state: await compareSkillFile(skill, file, contents), contents };
  }
}
