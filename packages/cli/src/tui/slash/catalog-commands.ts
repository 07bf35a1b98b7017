/** `/tools`, `/resources` and `/skills`: what the servers of the chat offer. */
import { commandMessage, sanitizeLine, skillFileProblem } from "@plugboard/contracts";
import type { HostErrorJson } from "@plugboard/contracts";
import { layOutTable } from "../../render/render-table.ts";
import { styled } from "../../terminal/text.ts";
import type { Text } from "../../terminal/text.ts";
import type { SlashCommand } from "./slash-command.ts";

const tools: SlashCommand = {
  name: "tools",
  usage: "[server]",
  about: "list the tools that the model can call",
  async run([server], { chat, print, columns }) {
    const listed = (await chat.workspace.tools.list()).filter((tool) => server === undefined || tool.server === server);
    // `detail` throws SERVER_UNKNOWN. It is not asked if tools are found, because native tools have no server.
    if (server !== undefined && listed.length === 0) await chat.workspace.servers.detail(server);
    if (listed.length === 0) return print("No tools. /mcp shows the state of the servers.\n");
    print(
      table(
        ["TOOL", "DESCRIPTION"],
        listed.map((tool) => [`${tool.server}:${tool.tool}`, tool.description]),
        columns,
      ),
    );
  },
};

const resources: SlashCommand = {
  name: "resources",
  usage: "[server]",
  about: "list the resources; @server:uri attaches one to a message",
  async run([server], { chat, print, columns }) {
    const options = server === undefined ? {} : { server };
    const [{ resources: listed, errors }, { templates, errors: templateErrors }] = await Promise.all([
      chat.workspace.resources.list(options),
      chat.workspace.resources.templates(options),
    ]);
    const rows = [
      ...listed.map((resource) => [`@${resource.server}:${resource.uri}`, resource.title ?? resource.name]),
      ...templates.map((template) => [`@${template.server}:${template.uriTemplate}`, template.title ?? template.name]),
    ];
    print([
      rows.length === 0 ? "No resources.\n" : table(["RESOURCE", "NAME"], rows, columns),
      describeErrors({ ...templateErrors, ...errors }),
    ]);
  },
};

const skills: SlashCommand = {
  name: "skills",
  usage: "[uri]",
  about: "list the skills of the servers, or attach one to the next message",
  async run([wanted], { chat, print, columns, insert }) {
    const { skills: listed, errors } = await chat.workspace.skills.list();
    if (wanted === undefined) {
      const rows = listed.map(({ server, uri, description = "" }) => [`${server}:${uri}`, description]);
      const shown = rows.length === 0 ? "No skills.\n" : table(["SKILL", "DESCRIPTION"], rows, columns);
      return print([shown, describeErrors(errors)]);
    }
    const skill = listed.find(({ server, uri }) => wanted === uri || wanted === `${server}:${uri}`);
    if (!skill) {
      print(describeErrors(errors));
      throw new Error("There is no such skill. /skills lists them.");
    }
    const { state } = await chat.workspace.skills.read(skill.server, skill.uri);
    const problem = skillFileProblem(state);
    if (problem !== undefined) throw new Error(problem);
    insert(`@${skill.server}:${skill.uri} `);
  },
};

/** Shows one row for each item. Long texts are cut. */
export function table(head: readonly string[], rows: readonly (readonly string[])[], columns: number): Text {
  const laidOut = layOutTable(head, rows, { columns });
  return [laidOut.head, ...rows.map((cells) => laidOut.row(cells))];
}

function describeErrors(errors: { readonly [server: string]: HostErrorJson }): Text {
  return Object.entries(errors).map(([server, error]): Text =>
    styled("yellow", `${sanitizeLine(server)}: ${sanitizeLine(commandMessage(error))}\n`),
  );
}

export const catalogCommands = [tools, resources, skills];
