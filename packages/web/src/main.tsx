/** Starts the page. */
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { ToastProvider } from "./components/toasts.tsx";
import { PageClient } from "./connection/page-client.ts";
import { hasCode } from "./connection/sign-in.ts";
import { Shell } from "./shell/shell.tsx";
import { ClientProvider } from "./hooks/context.tsx";

const client = new PageClient();
void client.run();
// A new link that is opened in this tab changes only the part behind `#`.
window.addEventListener("hashchange", () => {
  if (hasCode()) location.reload();
});

createRoot(document.getElementById("page")!).render(
  <StrictMode>
    <ClientProvider client={client}>
      <ToastProvider>
        <Shell />
      </ToastProvider>
    </ClientProvider>
  </StrictMode>,
);
