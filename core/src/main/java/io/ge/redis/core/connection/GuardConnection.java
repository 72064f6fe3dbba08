// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;

import org.jspecify.annotations.Nullable;

/**
 * The small port through which guards talk to one Redis deployment, over Lettuce's
 * asynchronous API.
 * <p>
 * No method blocks. Commands are refused at once while there is no connection, and go to
 * the primary. On a standalone server they are never repeated without the caller.
 */
public interface GuardConnection extends AutoCloseable {

	/**
	 * Runs a script that the server knows.
	 * @param keys the keys, all in one slot
	 * @return completes with the elements of the reply, each a {@code Long}, a
	 * {@code byte[]} or {@code null}; elements of nested lists one after the other
	 */
	CompletionStage<List<?>> evalSha(String sha, byte[][] keys, byte[][] arguments);

	/**
	 * Runs a script by its text, which also teaches it to the server.
	 * @param keys the keys, all in one slot
	 */
	CompletionStage<List<?>> eval(byte[] text, byte[][] keys, byte[][] arguments);

	/**
	 * Sends a command.
	 * @param key its first argument; the one before the last of {@code XREADGROUP}, whose
	 * reply has the number of elements before each list
	 * @return as the reply of a script; floating-point numbers may be {@code Double}
	 */
	CompletionStage<List<?>> send(String command, byte[] key, byte[][] arguments);

	/**
	 * Teaches a script to the server.
	 */
	CompletionStage<?> load(byte[] text);

	/**
	 * Publishes a message.
	 * @return completes when the server has taken it, with the number of its own
	 * connections that listen: on a Cluster the connections of one server only
	 */
	CompletionStage<Integer> publish(byte[] channel, byte[] message);

	/**
	 * Subscribes to channels on a connection of its own. The subscription stays until it
	 * is closed and is renewed after every interruption.
	 * @param subscriber notified of messages, of losing and of regaining the connection
	 */
	PushSubscription subscribe(PushSubscriber subscriber, List<byte[]> channels);

	/**
	 * Opens a fresh connection, asks the server for a sign of life on it, and replaces
	 * the present one. Its outstanding commands fail. Also used for the first connection.
	 * @param timeout the time for connecting and answering
	 * @return completes once the fresh connection is in use, or exceptionally if it could
	 * not be made
	 */
	CompletionStage<Void> reopen(Duration timeout);

	/**
	 * Makes the connection usable again after it was closed, as by an application that
	 * stops and starts again. Connects with the next {@link #reopen}.
	 */
	void restart();

	/**
	 * Returns the part of the deployment that serves a key at present.
	 * @return the part, or {@code null} where one server serves all keys, and while there
	 * is no connection
	 */
	@Nullable Shard shardOf(byte[] key);

	/**
	 * Finds anew the server that serves a key and asks it for a sign of life. Connections
	 * to other servers stay, unless this one answers on a fresh connection only. Then all
	 * are replaced as by {@link #reopen}, without failing commands under way.
	 * @param key the key, for which {@link #shardOf} knew a server
	 * @return completes once the server of the key can be used, or exceptionally if it
	 * cannot
	 */
	CompletionStage<Void> awaken(byte[] key, Duration timeout);

	/**
	 * Adds an action for when Sentinel names another primary, to which commands are sent
	 * from then on.
	 */
	void onNewPrimary(Runnable action);

	/**
	 * Returns where the servers are, for people.
	 * @return host and port of one or several servers
	 */
	String address();

	/**
	 * Returns whether keys of different slots may live on different servers, so that one
	 * script must not touch both.
	 */
	boolean isClustered();

	/**
	 * Returns the number of the database in use. Channels do not know it: messages of one
	 * database are received in all.
	 * @return the number
	 */
	int database();

	/**
	 * Opens a further connection on which replicas can be waited for. It is closed with
	 * this one, and not revived when it is lost.
	 * @param server the server as {@link Shard#server()} names it, or {@code null} where
	 * one server serves all keys
	 */
	CompletionStage<ReplicatedConnection> openReplicated(@Nullable String server);

	/**
	 * Opens a further connection on which the server is waited for. It is closed with
	 * this one, and not revived when it is lost. Not for a Cluster, where one command
	 * cannot wait for keys of several slots.
	 * @return completes with the connection
	 */
	CompletionStage<BlockingConnection> openBlocking();

	/**
	 * Returns a further connection to the same deployment, with everything of its own.
	 * Nothing is connected before its first {@link #reopen}.
	 */
	GuardConnection another();

	/**
	 * Closes the connection and everything made for it. Commands are refused from then
	 * on, unless it is {@linkplain #restart() restarted}.
	 */
	@Override
	void close();

}
