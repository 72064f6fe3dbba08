// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.core.connection;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.models.partitions.Partitions;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode;
import io.lettuce.core.cluster.models.partitions.RedisClusterNode.NodeFlag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LettuceShards}.
 */
class LettuceShardsTests {

	private static final int HALF = SlotHash.SLOT_COUNT / 2;

	private static final byte[] LOW = keyIn(0, HALF);

	private static final byte[] HIGH = keyIn(HALF, SlotHash.SLOT_COUNT);

	private final Partitions map = new Partitions();

	@Test
	void shardIsThatOfTheServerOfTheKey() {
		show(server(1, 0, HALF), server(2, HALF, SlotHash.SLOT_COUNT));
		Shard shard = LettuceShards.shardOf(this.map, LOW);
		assertThat(shard.server()).isEqualTo("127.0.0.1:1");
		assertThat(shard.holds(LOW)).isTrue();
		assertThat(shard.holds(HIGH)).isFalse();
	}

	@Test
	void shardOfAServerStaysAsItWasWhenSlotsMove() {
		show(server(1, 0, HALF), server(2, HALF, SlotHash.SLOT_COUNT));
		Shard shard = LettuceShards.shardOf(this.map, LOW);
		show(server(2, 0, SlotHash.SLOT_COUNT));
		assertThat(shard.holds(LOW)).isTrue();
		assertThat(shard.holds(HIGH)).isFalse();
	}

	@Test
	void slotsThatNobodyServedStayTogetherWhenSomebodyServesThem() {
		show(server(2, HALF, SlotHash.SLOT_COUNT));
		Shard shard = LettuceShards.shardOf(this.map, LOW);
		assertThat(shard.holds(LOW)).isTrue();
		assertThat(shard.holds(HIGH)).isFalse();
		show(server(1, 0, HALF));
		assertThat(shard.holds(LOW)).isTrue();
		assertThat(shard.holds(HIGH)).isFalse();
	}

	private void show(RedisClusterNode... servers) {
		this.map.reload(new ArrayList<>(List.of(servers)));
	}

	private static RedisClusterNode server(int port, int first, int end) {
		return new RedisClusterNode(RedisURI.create("127.0.0.1", port), "node-" + port, true, null, 0, 0, 0,
				IntStream.range(first, end).boxed().toList(), Set.of(NodeFlag.UPSTREAM));
	}

	private static byte[] keyIn(int first, int end) {
		return IntStream.range(0, 1000)
			.mapToObj((i) -> ("key-" + i).getBytes())
			.filter((key) -> first <= SlotHash.getSlot(key) && SlotHash.getSlot(key) < end)
			.findFirst()
			.orElseThrow();
	}

}
