// Creates 500 nodes a second in ZooKeeper by its own client, each until it is known to be there, and counts how long it had to wait and what of it is not there at the end. Runs
// in a pod, from this source.
import java.io.IOException;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;

public final class ZookeeperLoad extends PacedWrites {
  private static final String MEMBERS =
      List.of(System.getenv("MEMBERS").split(",")).stream().map(member -> member + ":2181").collect(Collectors.joining(","));
  /** How many nodes have one parent: a list of all of them is one answer. */
  private static final int EACH_PARENT = 1_000;
  private static final int SESSION_TIMEOUT_MS = 6_000;

  /** The writers share them. Each takes a member by chance, and another one when its connection is lost. */
  private final ZooKeeper[] sessions = new ZooKeeper[3];

  private ZookeeperLoad() {
    super(32);
  }

  public static void main(String[] arguments) throws IOException {
    new ZookeeperLoad().run();
  }

  @Override
  String wordFor(Exception refusal) {
    return refusal instanceof KeeperException known ? known.code().name() : refusal.getClass().getSimpleName();
  }

  /** A session, and another one in its place once it has expired. */
  private ZooKeeper session(int at) throws IOException {
    synchronized (sessions) {
      if (sessions[at] == null || !sessions[at].getState().isAlive())
        sessions[at] = new ZooKeeper(MEMBERS, SESSION_TIMEOUT_MS, event -> {});
      return sessions[at];
    }
  }

  private static String parentOf(int number) {
    return "/load/" + number / EACH_PARENT;
  }

  @Override
  void write(int number, int writer) throws Exception {
    int at = writer % sessions.length;
    String path = parentOf(number) + "/" + number;
    try {
      create(at, path);
    } catch (KeeperException.NoNodeException none) {
      create(at, "/load");
      create(at, parentOf(number));
      create(at, path);
    }
  }

  /**
   * Creates a node. After a lost connection that is asked for again, and answers whether the node is there: the leader says so, in the order of its writes, where a member that
   * is only looked at may be behind.
   */
  private void create(int at, String path) throws Exception {
    try {
      session(at).create(path, new byte[0], ZooDefs.Ids.OPEN_ACL_UNSAFE, CreateMode.PERSISTENT);
    } catch (KeeperException.NodeExistsException there) {
      // No other client has these names: this load has created it, and the answer was lost.
    }
  }

  @Override
  void clearFound(BitSet missing) throws Exception {
    for (String parent : insist(() -> childrenOf("/load")))
      for (String child : insist(() -> childrenOf("/load/" + parent))) missing.clear(Integer.parseInt(child));
  }

  /** The names of a node's children, by a member that has all writes of the leader. */
  private List<String> childrenOf(String path) throws Exception {
    ZooKeeper session = session(0);
    CompletableFuture<Integer> synced = new CompletableFuture<>();
    session.sync(path, (code, at, context) -> synced.complete(code), null);
    KeeperException.Code code = KeeperException.Code.get(synced.get());
    if (code != KeeperException.Code.OK) throw KeeperException.create(code, path);
    return session.getChildren(path, false);
  }
}
