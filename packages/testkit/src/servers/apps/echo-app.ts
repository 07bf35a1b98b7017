/** An App that shows what it gets from its host, with a button for each request that an App can make. */
import { APP_CLIENT } from "./app-client.ts";

export const ECHO_APP = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Echo</title></head>
<body>
<h1>Echo</h1>
<p id="theme"></p><p id="input"></p><p id="result"></p>
<div id="buttons"></div>
<pre id="answer"></pre>
<script>${APP_CLIENT}
  const show = (id, value) => { document.getElementById(id).textContent = typeof value === "string" ? value : JSON.stringify(value); };
  onNotification["ui/notifications/tool-input"] = (params) => show("input", params);
  onNotification["ui/notifications/tool-result"] = (params) => show("result", params);
  onNotification["ui/notifications/host-context-changed"] = ({ theme }) => theme && show("theme", theme);
  const requests = {
    "Count": ["tools/call", { name: "count", arguments: {} }],
    "Plan": ["tools/call", { name: "plan", arguments: {} }],
    "Read": ["resources/read", { uri: "ui://apps/flood" }],
    "List": ["resources/list", {}],
    "Link": ["ui/open-link", { url: "http://127.0.0.1:9/opened?by=app" }],
    "Script link": ["ui/open-link", { url: "javascript:alert(1)" }],
    "Download": ["ui/download-file", { contents: [{ type: "resource", resource: { uri: "file:///../a/report.txt", mimeType: "text/plain", text: "the report" } }] }],
    "Full screen": ["ui/request-display-mode", { mode: "fullscreen" }],
    "Say": ["ui/message", { role: "user", content: [{ type: "text", text: "Say more" }] }],
    "Context": ["ui/update-model-context", { content: [{ type: "text", text: "the user chose blue" }] }],
    "Unknown": ["sampling/createMessage", {}],
  };
  for (const [name, [method, params]] of Object.entries(requests)) {
    const button = document.createElement("button");
    button.textContent = name;
    button.onclick = async () => {
      show("answer", "");
      const { result, error } = await request(method, params);
      show("answer", { name, result, error });
    };
    document.getElementById("buttons").append(button);
  }
  start().then(({ hostContext }) => {
    show("theme", hostContext.theme);
    notify("ui/notifications/size-changed", { height: 300 });
    notify("notifications/message", { level: "info", data: "the App has started" });
  });
</script>
</body>
</html>`;
