/** Resources and prompts of all servers: read one, or fill one in. */
import { useState } from "react";
import { Notice, View } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { sanitizeLine } from "@plugboard/contracts";
import { Prompts } from "./prompts.tsx";
import { Resources } from "./resources.tsx";
import { Templates } from "./templates.tsx";

export function ContentPageView() {
  const [tab, setTab] = useState("resources");
  return (
    <View title="Resources and prompts">
      <Tabs
        label="Content"
        selected={tab}
        onSelect={setTab}
        tabs={[
          { id: "resources", title: "Resources" },
          { id: "templates", title: "Templates" },
          { id: "prompts", title: "Prompts" },
        ]}
      >
        {tab === "resources" && <Resources />}
        {tab === "templates" && <Templates />}
        {tab === "prompts" && <Prompts />}
      </Tabs>
    </View>
  );
}

/** The servers that could not be listed. */
export function ListErrors({ errors }: { errors: { readonly [server: string]: string } }) {
  return Object.entries(errors).map(([server, message]) => (
    <Notice key={server} tone="warn">
      <strong>{sanitizeLine(server)}</strong>: {sanitizeLine(message)}
    </Notice>
  ));
}
