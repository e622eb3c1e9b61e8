// Writes 500 rows a second to MariaDB Galera by MariaDB's own client, each until a member has acknowledged it, and counts how long it had to wait and what of it is not there at
// the end. Runs in a pod, from this source.
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.BitSet;

public final class GaleraLoad extends PacedWrites {
  private static final String[] MEMBERS = System.getenv("MEMBERS").split(",");
  private static final String PASSWORD = System.getenv("ROOT_PASSWORD");

  /** The connection of each of those that write. */
  private final Connection[] connections = new Connection[16];
  /** The member that a writer was connected to last. */
  private volatile String member = "";

  private GaleraLoad() {
    super(16);
  }

  public static void main(String[] arguments) throws Exception {
    GaleraLoad load = new GaleraLoad();
    load.insist(load::prepare);
    load.run();
  }

  @Override
  String wordFor(Exception refusal) {
    return refusal instanceof SQLException known ? known.getSQLState() + " " + known.getErrorCode() : refusal.getClass().getSimpleName();
  }

  @Override
  String more() {
    return ",\"leader\":\"" + member + "\"";
  }

  private Void prepare() throws SQLException {
    try (Connection connection = connect();
        Statement statement = connection.createStatement()) {
      statement.execute("create database if not exists app");
      statement.execute("create table if not exists app.written (number int primary key)");
    }
    return null;
  }

  /** A connection to the first member, in their order, that takes requests. */
  private Connection connect() throws SQLException {
    SQLException refused = new SQLException("no member");
    for (String host : MEMBERS) {
      Connection connection = null;
      try {
        connection = DriverManager.getConnection("jdbc:mariadb://" + host + ":3306/?connectTimeout=1000&socketTimeout=5000", "root", PASSWORD);
        try (Statement statement = connection.createStatement()) {
          statement.execute("select 1");
        }
        member = host;
        return connection;
      } catch (SQLException refusal) {
        refused = refusal;
        close(connection);
      }
    }
    throw refused;
  }

  private static void close(Connection connection) {
    try {
      if (connection != null) connection.close();
    } catch (SQLException gone) {
      // It is of no use any more, which is why it is closed.
    }
  }

  /** A row that is there already was written by this load, and the answer was lost. */
  @Override
  void write(int number, int writer) throws SQLException {
    if (connections[writer] == null) connections[writer] = connect();
    try (Statement statement = connections[writer].createStatement()) {
      statement.executeUpdate("insert into app.written values (" + number + ") on duplicate key update number = number");
    } catch (SQLException refusal) {
      close(connections[writer]);
      connections[writer] = null;
      throw refusal;
    }
  }

  @Override
  void clearFound(BitSet missing) throws Exception {
    insist(
        () -> {
          try (Connection connection = connect();
              Statement statement = connection.createStatement();
              ResultSet rows = statement.executeQuery("select number from app.written")) {
            while (rows.next()) missing.clear(rows.getInt(1));
          }
          return null;
        });
  }
}
