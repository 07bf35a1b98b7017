/** Does what an App has asked for, after the user has agreed. */
import { saveFile } from "../components/save-file.ts";
import type { AppRequest } from "./app-ports.ts";

/** `sendMessage` sends a message of the user to the model of the chat. */
export async function carryOutRequest(
  request: AppRequest,
  sendMessage: (text: string) => Promise<unknown>,
): Promise<void> {
  if (request.type === "link") window.open(request.url, "_blank", "noopener,noreferrer");
  else if (request.type === "download") for (const file of request.files) saveFile(file);
  else await sendMessage(request.text);
}
