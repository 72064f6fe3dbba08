// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.bloom;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.ge.redis.RedisUnavailableException;
import io.ge.redis.bloom.BloomProperties.Filter;
import io.ge.redis.core.RedisBackend;
import io.ge.redis.core.hash.Sha256;
import io.ge.redis.core.outage.Waiting;
import io.ge.redis.core.script.LuaScript;
import io.ge.redis.core.script.ScriptReply;
import io.ge.redis.core.structure.Arguments;
import io.ge.redis.core.structure.StructureCalls;
import io.ge.redis.core.structure.StructureMismatchException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * Bloom filters in Redis: {@code prefix:bloom:{name}} and its siblings; {@code add.lua}
 * says what each is.
 */
public final class RedisBloomFilters implements BloomFilters {

	private static final Log logger = LogFactory.getLog(RedisBloomFilters.class);

	private static final LuaScript BLOCKS = LuaScript.functions(RedisBloomFilters.class, "blocks.lua",
			StructureCalls.KEEP);

	private static final LuaScript ADD = LuaScript.load(RedisBloomFilters.class, "add.lua", BLOCKS);

	private static final LuaScript CHECK = LuaScript.load(RedisBloomFilters.class, "check.lua", BLOCKS);

	/** The bits of a hash that select the block. Lua's numbers hold 53. */
	private static final int BLOCK_BITS = 48;

	/** The bits of a hash that select the bit of a word. */
	private static final int WORD_BITS = 5;

	/** Prefix of a reply if the filter has other parameters. */
	private static final String OTHER = "other ";

	private final BloomProperties properties;

	private final StructureCalls calls;

	public RedisBloomFilters(BloomProperties properties, RedisBackend backend) {
		this.properties = properties;
		this.calls = new StructureCalls("bloom", backend);
	}

	@Override
	public CompletableFuture<List<Boolean>> addAllAsync(String filter, Collection<String> values) {
		Arguments.size("values", values);
		return run(ADD, filter, values);
	}

	@Override
	public CompletableFuture<List<Boolean>> mightContainAllAsync(String filter, Collection<String> values) {
		Arguments.size("values", values);
		return run(CHECK, filter, values);
	}

	/**
	 * Checks that filters that exist have the configured parameters. Without Redis each
	 * call finds out.
	 * @throws StructureMismatchException if one has others
	 */
	public void verify() {
		for (String filter : this.properties.filters().keySet()) {
			try {
				Waiting.await(run(CHECK, filter, List.of()));
			}
			catch (RedisUnavailableException ex) {
				logger.warn("The parameters of Bloom filters could not be checked at startup: " + ex.getMessage());
				return;
			}
		}
	}

	private CompletableFuture<List<Boolean>> run(LuaScript script, String name, Collection<String> values) {
		Filter filter = this.properties.filter(name);
		List<Object> arguments = new ArrayList<>(List.of(parameters(filter), filter.timeToLive() / 2, filter.blocks(),
				filter.words(), filter.capacity(), String.valueOf(filter.generationErrorRate())));
		for (String value : values) {
			byte[] hash = Sha256.of(Arguments.text("value", value));
			arguments.add(ByteBuffer.wrap(hash).getLong() >>> (Long.SIZE - BLOCK_BITS));
			arguments.add(mask(hash, filter.words()));
		}
		return this.calls.run(script, this.calls.key(name), (reply) -> results(name, filter, reply),
				arguments.toArray());
	}

	/**
	 * Returns words with one bit each, from the lower end of the hash. Its upper end says
	 * which block it is.
	 */
	private static byte[] mask(byte[] hash, int words) {
		BigInteger bits = new BigInteger(hash);
		ByteBuffer mask = ByteBuffer.allocate(Integer.BYTES * words).order(ByteOrder.LITTLE_ENDIAN);
		for (int word = 0; word < words; word++) {
			mask.putInt(1 << bits.shiftRight(WORD_BITS * word).intValue());
		}
		return mask.array();
	}

	private static List<Boolean> results(String name, Filter filter, ScriptReply reply) {
		String text = reply.text(0);
		if (text.startsWith(OTHER)) {
			throw new StructureMismatchException("Bloom filter '" + name + "' exists with other parameters: it has "
					+ text.substring(OTHER.length()) + ", and " + BloomProperties.FILTERS + "." + name + " says "
					+ parameters(filter) + ". Set the properties to those it has, or use another name");
		}
		return text.chars().mapToObj((digit) -> digit == '1').toList();
	}

	private static String parameters(Filter filter) {
		return "capacity=" + filter.capacity() + " error-rate=" + filter.errorRate()
				+ ((filter.ttl() != null) ? " ttl=" + filter.ttl() : " permanent=true");
	}

}
