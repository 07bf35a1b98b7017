/** Resources, templates, prompts and skills of all servers, in a tab each. */
import { View } from "../../components/layout.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { hrefOf } from "../../hooks/route.ts";
import { Prompts } from "./prompts.tsx";
import { Resources } from "./resources.tsx";
import { Skills } from "./skills.tsx";
import { Templates } from "./templates.tsx";

const TABS = [
  { id: "resources", title: "Resources", content: <Resources /> },
  { id: "templates", title: "Templates", content: <Templates /> },
  { id: "prompts", title: "Prompts", content: <Prompts /> },
  { id: "skills", title: "Skills", content: <Skills /> },
];

export function ContentPageView({ rest: [tab] }: { rest: readonly string[] }) {
  const { id, content } = TABS.find((one) => one.id === tab) ?? TABS[0]!;
  return (
    <View title="Resources, prompts and skills">
      <Tabs
        label="Content"
        selected={id}
        onSelect={(chosen) => (location.hash = hrefOf("content", chosen))}
        tabs={TABS}
      >
        {content}
      </Tabs>
    </View>
  );
}
