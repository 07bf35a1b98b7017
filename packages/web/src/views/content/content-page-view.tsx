/** Resources and prompts of all servers: read one, or fill one in. */
import { useState } from "react";
import { View } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
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
