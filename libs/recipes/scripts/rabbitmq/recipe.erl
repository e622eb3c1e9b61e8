%% What the scripts ask a member's server, answered in the server itself: a line for each thing, over TCP. The software's own tools take seconds of a processor for each question,
%% too much for a probe or a gate.
%%
%% `start` runs when the server has booted. `list_nodes` is asked by the server before it has a cluster: it enters the one that JOIN names a member of, or none.
-module(recipe).
-export([start/0, list_nodes/0, supports_registration/0, move/1]).

supports_registration() -> false.

%% A server that can't join does not start: it never founds another cluster instead. One that has joined is asked again by some of the software's tools.
list_nodes() ->
    case {os:getenv("JOIN", ""), rabbit_db_cluster:members() -- [node()]} of
        {"", _} -> ok;
        {Member, []} -> ok = rabbit_db_cluster:join(list_to_atom(Member), disc);
        {_, _} -> ok
    end,
    {ok, {[node()], disc}}.

start() ->
    spawn(fun listen/0),
    spawn(fun tend/0),
    spawn(fun keep/0).

listen() ->
    {ok, Address} = inet:parse_address(os:getenv("POD_IP")),
    Family = case tuple_size(Address) of 8 -> inet6; 4 -> inet end,
    Options = [Family, {ip, Address}, {active, false}, {packet, line}, {reuseaddr, true}, {backlog, 64}],
    {ok, Listener} = gen_tcp:listen(list_to_integer(os:getenv("STATE_PORT")), Options),
    accept(Listener, Address).

accept(Listener, Own) ->
    case gen_tcp:accept(Listener) of
        {ok, Socket} -> gen_tcp:controlling_process(Socket, spawn(fun() -> serve(Socket, Own) end));
        {error, _} -> timer:sleep(100)
    end,
    accept(Listener, Own).

serve(Socket, Own) ->
    {ok, Line} = gen_tcp:recv(Socket, 0, 3000),
    {ok, {From, _}} = inet:peername(Socket),
    Lines = try answer(string:lexemes(Line, " \r\n"), From =:= Own) catch _:Reason -> [io_lib:format("fails: ~0tp", [Reason])] end,
    gen_tcp:send(Socket, unicode:characters_to_binary([[Each, $\n] || Each <- Lines])),
    gen_tcp:close(Socket).

%% What the cluster is, as this member knows it.
answer(["cluster"], _) ->
    Running = rabbit_nodes:list_running(),
    Word = fun(Node) -> case lists:member(Node, Running) of true -> " runs"; false -> " away" end end,
    [["own ", name(node())], ["leader ", name(leader())]] ++
        [["member ", name(Node), Word(Node)] || Node <- rabbit_nodes:list_members()] ++
        [["serves ", name(node())] || serves()];
%% What keeps all but one member of the cluster from having everything.
answer(["others", But], _) -> lacking(try list_to_existing_atom(But) catch _:_ -> none end, rabbit_nodes:list_members());
%% What keeps this member from having everything.
answer(["own"], _) -> write_names(), lacking(none, [node()]);
%% Hands over all that this member leads, and has clients go elsewhere. Only this pod asks that.
answer(["drain"], true) -> rabbit_maintenance:drain(), ["ok"];
answer(_, _) -> ["fails: no such question"].

name(Node) -> atom_to_list(Node).

%% Who leads the metadata store.
leader() ->
    case ra_leaderboard:lookup_leader(rabbitmq_metadata) of
        {_, Node} -> Node;
        undefined -> none
    end.

%% Versions before 4.2 found clusters with another metadata store, which elects no leader.
serves() ->
    rabbit:is_running() andalso rabbit_feature_flags:is_enabled(khepri_db) andalso
        rabbit_networking:node_client_listeners(node()) =/= [] andalso
        not rabbit_maintenance:is_being_drained_local_read(node()).

queues() -> [Queue || Queue <- rabbit_amqqueue:list(), amqqueue:get_type(Queue) =:= rabbit_quorum_queue].

nodes_of(Queue) ->
    case maps:get(nodes, amqqueue:get_type_state(Queue)) of
        Nodes when is_list(Nodes) -> Nodes;
        Nodes -> maps:keys(Nodes)
    end.

group_of(Queue) -> {rabbit_misc:rs(amqqueue:get_name(Queue)), element(1, amqqueue:get_pid(Queue)), nodes_of(Queue)}.

%% Whatever has replicas that vote: what it is, its name, and its nodes.
groups() ->
    Coordinator = [{"stream coordinator", rabbit_stream_coordinator, [Node || {_, Node} <- Ids]}
        || is_pid(whereis(rabbit_stream_coordinator)), {ok, Ids, _} <- [ra:members({rabbit_stream_coordinator, node()}, 3000)]],
    [{"metadata store", rabbitmq_metadata, rabbit_nodes:list_members()}] ++ Coordinator ++ [group_of(Queue) || Queue <- queues()].

%% The first thing that one of these nodes lacks, or "ok". `But` may be away. What counts is what was acknowledged when it was asked.
lacking(But, Nodes) ->
    Members = rabbit_nodes:list_members(),
    Running = rabbit_nodes:list_running(),
    Groups = groups(),
    Few = [[What, " has ", integer_to_list(length(Has)), " of ", integer_to_list(Wanted), " replicas"]
        || {{What, _, Has}, Wanted} <- [{group_of(Queue), wanted(Queue, Members -- leaving())} || Queue <- queues()], length(Has) < Wanted],
    case {[Node || Node <- Nodes -- [But], not lists:member(Node, Running)], Few} of
        {[Node | _], _} -> [[name(Node), " is away"]];
        {[], [Said | _]} -> [Said];
        {[], []} -> compare([{Group, committed(Group, Known)} || Known <- [metrics(Groups, Running)], Group <- Groups], {Nodes -- [But], Running}, 6)
    end.

compare(Groups, {Nodes, Running} = Where, Tries) ->
    Known = metrics([Group || {Group, _} <- Groups], Running),
    Behind = [Said || {Group, Committed} <- Groups, Said <- behind(Group, Committed, Nodes, Known)],
    case {Behind, Tries} of
        {[], _} -> ["ok"];
        {[Said | _], 1} -> [Said];
        _ -> timer:sleep(500), compare(Groups, Where, Tries - 1)
    end.

behind({What, _, _}, none, _, _) -> [[What, " has no leader"]];
behind({What, Name, Has}, Committed, Nodes, Known) ->
    [[name(Node), " is behind in ", What] || Node <- Has, lists:member(Node, Nodes), not has(maps:get({Name, Node}, Known, #{}), Committed)].

has(#{state := State, membership := voter, last_index := Last}, Committed) when State =:= leader; State =:= follower -> Last >= Committed;
has(_, _) -> false.

%% What the leader of a group says that a majority has.
committed({_, Name, Nodes}, Known) ->
    Leaders = [Index || Node <- Nodes, #{state := leader, commit_index := Index} <- [maps:get({Name, Node}, Known, #{})]],
    case Leaders of [] -> none; _ -> lists:max(Leaders) end.

metrics(Groups, Running) ->
    maps:from_list(lists:append([metrics_at(Node, [{Name, Node} || {_, Name, Nodes} <- Groups, lists:member(Node, Nodes)]) || Node <- Running])).
metrics_at(Node, Ids) ->
    try lists:zip(Ids, erpc:call(Node, lists, map, [fun ra:key_metrics/1, Ids], 5000)) catch _:_ -> [] end.

%% Which replicas it has, a server writes to its disk half a second after that has changed. One that crashed before starts such a replica as a new one, without what it has
%% acknowledged. So here it is written soon.
keep() -> timer:sleep(50), write_names(), keep().
write_names() -> [dets:sync(Table) || Table <- dets:all(), lists:member(Table, [ra_directory_reverse, ra_coordination_directory_reverse])].

%% How many replicas a queue is to have: what it was declared with, or three, or as many as there are members.
wanted(Queue, Members) ->
    Declared = case rabbit_misc:table_lookup(amqqueue:get_arguments(Queue), <<"x-quorum-initial-group-size">>) of
        {_, Size} when is_integer(Size), Size > 0 -> Size;
        _ -> 3
    end,
    min(Declared, length(Members)).

%% The member that leads gives queues the replicas that they lack, and takes those away whose member is none any more.
tend() ->
    timer:sleep(3000),
    try
        Members = rabbit_nodes:list_consistent_members(),
        case leader() =:= node() andalso Members -- rabbit_nodes:list_running() of
            [] -> [tend(Queue, Members, Members -- leaving()) || Queue <- queues()];
            _ -> ok
        end
    catch _:_ -> ok end,
    tend().

tend(Queue, Members, Stay) ->
    Has = nodes_of(Queue),
    case {Has -- Members, length(Has) < wanted(Queue, Stay), Stay -- Has} of
        {[Gone | _], _, _} -> rabbit_quorum_queue:delete_member(Queue, Gone);
        {[], true, [_ | _] = Others} -> rabbit_quorum_queue:add_member(Queue, emptiest(Others));
        _ -> ok
    end.

%% The members that a reduction takes away.
leaving() ->
    case application:get_env(rabbit, recipe_leaving) of
        {ok, {Nodes, At}} -> case erlang:system_time(second) - At < 120 of true -> Nodes; false -> [] end;
        undefined -> []
    end.

%% Of some members, the one with the fewest replicas.
emptiest(Members) ->
    Counts = [{length([Queue || Queue <- queues(), lists:member(Node, nodes_of(Queue))]), Node} || Node <- Members],
    element(2, lists:min(Counts)).

%% Gives each queue with replicas at members that leave as many more at others, and then takes those away. Returns what is still to do after a while, or "moved".
move(Leaving) -> move(Leaving, 20).
move(Leaving, Rounds) ->
    %% Until a while after the last time, those that leave get no replicas.
    erpc:multicall(rabbit_nodes:list_running(), application, set_env, [rabbit, recipe_leaving, {Leaving, erlang:system_time(second)}]),
    Stay = rabbit_nodes:list_running() -- Leaving,
    Leaves = fun(Node) -> lists:member(Node, Leaving) end,
    Concerned = [{Queue, nodes_of(Queue)} || Queue <- queues(), lists:any(Leaves, nodes_of(Queue))],
    Kept = [rabbit_misc:rs(amqqueue:get_name(Queue)) || Queue <- rabbit_amqqueue:list(), lists:any(Leaves, places_of(Queue))],
    case {Kept, length(Concerned)} of
        {[Name | _], _} -> text("~ts is no quorum queue, and is at a member that leaves: it has to be deleted there first", [Name]);
        {[], 0} -> "moved";
        {[], Count} when Rounds =:= 0 -> text("queues that have replicas at members that leave: ~b", [Count]);
        _ ->
            [move_one(Queue, {Has -- Leaving, [Node || Node <- Has, Leaves(Node)]}, Stay) || {Queue, Has} <- Concerned],
            timer:sleep(500),
            move(Leaving, Rounds - 1)
    end.

%% One change of a queue at a time: another is refused until it is done.
move_one(Queue, {Stays, [Leaves | _]}, Stay) ->
    case length(Stays) < wanted(Queue, Stay) of
        true -> rabbit_quorum_queue:add_member(Queue, emptiest(Stay -- Stays));
        false -> lacking_in(Queue, Stays) =:= [] andalso rabbit_quorum_queue:delete_member(Queue, Leaves)
    end.

text(Format, Arguments) -> lists:flatten(io_lib:format(Format, Arguments)).

%% Where what is in a queue would be lost with a member, unless it belongs to a connection: nothing moves a queue of another kind.
places_of(Queue) ->
    Kind = amqqueue:get_type(Queue),
    case {Kind, amqqueue:get_exclusive_owner(Queue), amqqueue:is_durable(Queue)} of
        {rabbit_classic_queue, none, true} -> [amqqueue:qnode(Queue)];
        {rabbit_stream_queue, _, _} -> maps:get(nodes, amqqueue:get_type_state(Queue), []);
        _ -> []
    end.

lacking_in(Queue, Nodes) ->
    Group = group_of(Queue),
    Known = metrics([Group], rabbit_nodes:list_running()),
    behind(Group, committed(Group, Known), Nodes, Known).
