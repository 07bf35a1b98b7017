/** An App that posts messages without end. */
import { APP_CLIENT } from "./app-client.ts";

export const FLOOD_APP = `<!doctype html>
<html lang="en">
<body><script>${APP_CLIENT}
  start().then(() => {
    const flood = () => {
      for (let index = 0; index < 200; index++) notify("ui/notifications/size-changed", { height: index });
      setTimeout(flood);
    };
    flood();
  });
</script></body>
</html>`;
