/** Says how to connect a client by hand: the file, and its text. Changes nothing. */
import type { ClientName, ConnectInstructions } from "@plugboard/contracts";
import { CLIENTS } from "../clients/client-table.ts";
import type { ClientPlaces } from "../clients/formats/client.ts";
import { formatDocument } from "../clients/syntax/format-document.ts";
import { chooseClientFile } from "./choose-client-file.ts";
import { gatewayDocument } from "./gateway-entry.ts";
import type { GatewayTarget } from "./gateway-entry.ts";
import { nextStep } from "./plan-connect.ts";

/** Also works if the file of the client can't be read. */
export async function connectInstructions(
  name: ClientName,
  targets: readonly GatewayTarget[],
  places: ClientPlaces,
): Promise<ConnectInstructions> {
  const client = CLIENTS[name];
  const { path } = await chooseClientFile(client, "user", places);
  const snippets = await Promise.all(
    targets.map(async (target) => {
      const document = gatewayDocument(client, target);
      if (!document) return [];
      return { transport: target.kind, text: await formatDocument(document, client.syntax) };
    }),
  );
  return { label: client.label, file: path, snippets: snippets.flat(), notes: [nextStep(name, "user")] };
}
