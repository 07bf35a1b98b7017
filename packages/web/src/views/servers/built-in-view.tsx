/** The built-in tools, shown at `#/servers/native`. */
import { EmptyState, View } from "../../components/layout.tsx";
import { isBuiltIn } from "../../format/built-in.ts";
import { usePage } from "../../hooks/context.tsx";
import { useLoad } from "../../hooks/use-load.ts";
import { ServerBreadcrumb } from "./server-breadcrumb.tsx";
import { ToolLinks } from "./tool-links.tsx";

export function BuiltInView() {
  const revision = usePage((state) => state.catalogRevision);
  const tools = useLoad(({ workspace }) => workspace.tools.list(), [], revision).data;
  const own = tools?.filter(({ server }) => isBuiltIn(server));
  return (
    <View title={<ServerBreadcrumb name="Built in" />}>
      <p className="measure">
        These are tools of Plugboard itself. They run in the host, so there is nothing to connect, edit or remove. Each
        is offered only while it is needed, and chats have more of them, for files and commands. Rules call them{" "}
        <code>native:tool</code>. Clients of the gateway never get them.
      </p>
      {own?.length === 0 && (
        <div className="card">
          <EmptyState title="None is needed now" />
        </div>
      )}
      {own && own.length > 0 && (
        <ToolLinks tools={own.map(({ server, tool, description }) => ({ server, name: tool, description }))} />
      )}
    </View>
  );
}
