/** An App that sends a log message without content, and takes the focus again and again. */
import { APP_CLIENT } from "./app-client.ts";

export const NUISANCE_APP = `<!doctype html>
<html lang="en">
<body><input aria-label="bait"><script>${APP_CLIENT}
  start().then(() => {
    notify("notifications/message", {});
    const input = document.querySelector("input");
    setInterval(() => {
      input.blur();
      input.focus();
    }, 20);
  });
</script></body>
</html>`;
