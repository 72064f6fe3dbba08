// SPDX-License-Identifier: Apache-2.0

package io.ge.redis.test.instance;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.ge.redis.test.Wide;
import io.ge.redis.test.oracle.Entry;
import io.ge.redis.test.oracle.History;
import io.ge.redis.test.oracle.Journal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

/**
 * What instances can do and suffer.
 */
@Wide
class InstancesIntegrationTests {

	private final Instances instances = Instances.of(ProbeApplication.class);

	@AfterEach
	void close() {
		this.instances.close();
	}

	@Test
	void runsOperationsWithArgumentsAndProperties() {
		Instance instance = this.instances.with("some.name=\u00e4 =\t!\n", "some.name=last").named("probe").start();
		assertThat(instance.get("echo", "a", "\u00e4 =\t!\n", "")).isEqualTo("a,\u00e4 =\t!\n,");
		assertThat(instance.get("property", "some.name")).isEqualTo("last");
		assertThat(instance.get("property", Instances.NAME_PROPERTY)).isEqualTo("probe-1");
		assertThat(instance.get("property", "none")).isNull();
	}

	@Test
	void tellsWhatAnOperationHasThrown() {
		Instance instance = this.instances.start();
		assertThatExceptionOfType(InstanceCallException.class).isThrownBy(() -> instance.get("fail", "why"))
			.satisfies((ex) -> assertThat(ex.is(IllegalArgumentException.class)).isTrue())
			.satisfies((ex) -> assertThat(ex.thrownMessage()).isEqualTo("why"));
		assertThatExceptionOfType(InstanceCallException.class).isThrownBy(() -> instance.get("nothing"));
	}

	@Test
	void laterInstanceUsesTheJvmAgainWithAnApplicationOfItsOwn() {
		Instance first = this.instances.start();
		assertThat(first.get("count")).isEqualTo("1");
		first.close();
		assertThat(first.isRunning()).isFalse();
		Instance second = this.instances.start();
		assertThat(second.pid()).isEqualTo(first.pid());
		assertThat(second.get("count")).isEqualTo("1");
	}

	@Test
	void killedInstanceFailsItsCallsAndIsNotUsedAgain() {
		Instance instance = this.instances.start();
		Failpoint hold = Failpoint.enter(ProbeApplication.class, "check").hold();
		instance.arm(hold);
		CompletableFuture<String> call = instance.call("checked", "true");
		instance.awaitReached(hold);
		instance.kill();
		assertThat(instance.isRunning()).isFalse();
		assertThat(call).failsWithin(Duration.ofSeconds(10))
			.withThrowableThat()
			.withCauseInstanceOf(InstanceGoneException.class);
		assertThatExceptionOfType(InstanceGoneException.class).isThrownBy(() -> instance.get("echo"));
		assertThat(this.instances.start().pid()).isNotEqualTo(instance.pid());
	}

	@Test
	void pausedInstanceGoesOnWhenItIsResumed() throws Exception {
		Instance instance = this.instances.start();
		instance.pause();
		CompletableFuture<String> call = instance.call("echo", "late");
		assertThat(call).failsWithin(Duration.ofMillis(300)).withThrowableThat().isInstanceOf(Exception.class);
		assertThat(instance.isRunning()).isTrue();
		instance.resume();
		assertThat(call.get(10, TimeUnit.SECONDS)).isEqualTo("late");
	}

	@Test
	void failpointHaltsAtItsLine(@TempDir Path directory) {
		Instance instance = this.instances.journal(directory).named("halted").start();
		instance.arm(Failpoint.enter(ProbeApplication.class, "check").halt());
		CompletableFuture<String> call = instance.call("note", "before");
		instance.awaitHalted();
		assertThat(call).failsWithin(Duration.ofSeconds(10));
		History history = History.read(directory);
		assertThat(history.entries("before")).singleElement().extracting(Entry::process).isEqualTo("halted-1");
		assertThat(history.entries(Journal.DIED)).singleElement().satisfies((entry) -> {
			assertThat(entry.field(0)).isEqualTo("halted-1");
			assertThat(entry.nanos()).isGreaterThan(history.entries("before").get(0).nanos());
		});
	}

	@Test
	void failpointAtTheEndOfAMethodHaltsAfterItsLinesAlsoWhenItThrows(@TempDir Path directory) {
		Instance instance = this.instances.journal(directory).start();
		instance.arm(Failpoint.exit(Journal.class, "write").halt());
		instance.call("note", "after");
		instance.awaitHalted();
		assertThat(History.read(directory).count("after")).isEqualTo(1);
		Instance other = this.instances.start();
		other.arm(Failpoint.exit(ProbeApplication.class, "check").halt());
		other.call("checked", "false");
		other.awaitHalted();
	}

	@Test
	void failpointMayHaltBeforeItIsKnownToBeSet() {
		Instance instance = this.instances.start();
		instance.arm(Failpoint.enter(ChildMain.class, "failpoint").halt(),
				Failpoint.enter(ProbeApplication.class, "check").halt());
		instance.awaitHalted();
		Instance killed = this.instances.start();
		killed.kill();
		assertThatExceptionOfType(InstanceGoneException.class)
			.isThrownBy(() -> killed.arm(Failpoint.enter(ProbeApplication.class, "check").halt()));
	}

	@Test
	void failpointHoldsUntilItIsReleased() throws Exception {
		Instance instance = this.instances.start();
		Failpoint hold = Failpoint.enter(ProbeApplication.class.getName(), "check").hold();
		instance.arm(hold);
		CompletableFuture<String> call = instance.call("checked", "true");
		instance.awaitReached(hold);
		assertThat(call).isNotDone();
		instance.release(hold);
		assertThat(call.get(10, TimeUnit.SECONDS)).startsWith("accepted");
		assertThat(instance.get("checked", "true")).startsWith("accepted");
	}

	@Test
	void failpointThatDoesNotExistFailsWhenItIsArmed() {
		Instance instance = this.instances.start();
		assertThatIllegalArgumentException()
			.isThrownBy(() -> instance.arm(Failpoint.enter(ProbeApplication.class, "chek").halt()));
		assertThatIllegalArgumentException().isThrownBy(() -> instance.arm(Failpoint.enter("no.Such", "check").halt()));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> instance.awaitReached(Failpoint.enter(ProbeApplication.class, "check").hold()));
	}

	@Test
	void endThatIsNotOfAFailpointIsToldApart() {
		Instance instance = this.instances.start();
		instance.kill();
		assertThatIllegalStateException().isThrownBy(instance::awaitHalted);
	}

	@Test
	void sabotageChangesWhatScriptsAndMethodsDo() {
		Instance sound = this.instances.start();
		assertThat(sound.get("checked", "true")).isEqualTo("accepted true -- Extends the leases of several locks.");
		assertThatExceptionOfType(InstanceCallException.class).isThrownBy(() -> sound.get("checked", "false"));
		Instance sabotaged = this.instances
			.sabotaged(Sabotage.skip(ProbeApplication.class, "check"),
					Sabotage.answer(ProbeApplication.class, "later", false))
			.sabotaged(Sabotage.script("io/ge/redis/lock/renew.lua", "Extends the", "Forgets the"))
			.start();
		assertThat(sabotaged.get("checked", "false"))
			.isEqualTo("accepted false -- Forgets the leases of several locks.");
		sabotaged.close();
		Instance soundAgain = this.instances.start();
		assertThat(soundAgain.pid()).isNotEqualTo(sabotaged.pid());
		Instance sabotagedAgain = this.instances
			.sabotaged(Sabotage.skip(ProbeApplication.class, "check"),
					Sabotage.answer(ProbeApplication.class, "later", false),
					Sabotage.script("io/ge/redis/lock/renew.lua", "Extends the", "Forgets the"))
			.start();
		assertThat(sabotagedAgain.pid()).isEqualTo(sabotaged.pid());
		assertThat(sabotagedAgain.get("checked", "false"))
			.isEqualTo("accepted false -- Forgets the leases of several locks.");
	}

	@Test
	void laterInstanceInTheSameJvmIsSound() throws Exception {
		Instance held = this.instances
			.sabotaged(Sabotage.skip(ProbeApplication.class, "check"),
					Sabotage.answer(ProbeApplication.class, "later", false))
			.start();
		Failpoint hold = Failpoint.enter(ProbeApplication.class, "later").hold();
		Failpoint second = Failpoint.enter(ProbeApplication.class, "check").hold();
		held.arm(hold, second);
		CompletableFuture<String> call = held.call("checked", "false");
		held.awaitReached(second);
		held.release(second);
		held.awaitReached(hold);
		held.release(hold);
		assertThat(call.get(10, TimeUnit.SECONDS)).startsWith("accepted false");
		held.arm(Failpoint.enter(ProbeApplication.class, "check").halt());
		held.close();
		Instance sound = this.instances.start();
		assertThat(sound.pid()).isEqualTo(held.pid());
		assertThat(sound.get("checked", "true")).startsWith("accepted true");
		Failpoint again = Failpoint.enter(ProbeApplication.class, "later").hold();
		sound.arm(again);
		assertThat(sound.hasReached(again)).isFalse();
		assertThatExceptionOfType(InstanceCallException.class).isThrownBy(() -> sound.get("checked", "false"));
	}

	@Test
	void sabotageThatFindsNothingToChangeFails() {
		assertThatIllegalArgumentException().isThrownBy(() -> Sabotage.skip(ProbeApplication.class, "chek"));
		assertThatIllegalArgumentException().isThrownBy(() -> Sabotage.skip("no.Such", "check"));
		assertThatIllegalArgumentException().isThrownBy(() -> Sabotage.answer(ProbeApplication.class, "chek", true));
		assertThatIllegalArgumentException().isThrownBy(() -> Sabotage.script("io/ge/redis/lock/no.lua", "a", "b"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Sabotage.script("io/ge/redis/lock/renew.lua", "not there", "b"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Sabotage.script("io/ge/redis/lock/renew.lua", "lease", "b"));
		assertThatIllegalArgumentException()
			.isThrownBy(() -> Sabotage.script("io/ge/redis/lock/renew.lua", (text) -> text));
	}

	@Test
	void wallClockOfAnInstanceGoesAheadAndTheMonotonicOneDoesNot() {
		Instance instance = this.instances.clockAhead(Duration.ofMinutes(5)).start();
		long before = System.nanoTime();
		long ahead = System.currentTimeMillis() + Duration.ofMinutes(5).toMillis();
		for (String clock : instance.get("clocks").split(" ")) {
			assertThat(Long.parseLong(clock)).isBetween(ahead - 1000, ahead + 30_000);
		}
		assertThat(Long.parseLong(instance.get("nanoTime"))).isBetween(before, System.nanoTime());
		instance.close();
		String[] clocks = this.instances.start().get("clocks").split(" ");
		assertThat(clocks).allSatisfy((clock) -> assertThat(Long.parseLong(clock)).isLessThan(ahead - 60_000));
	}

	@Test
	void applicationThatDoesNotStartFailsWithItsOutput() {
		Instances broken = Instances.of(ProbeApplication.class).with("spring.main.web-application-type=nonsense");
		assertThatIllegalStateException().isThrownBy(broken::start).withMessageContaining("nonsense");
	}

	@Test
	void startsSeveralAtOnce() {
		assertThat(this.instances.start(2)).extracting(Instance::pid).doesNotHaveDuplicates();
		assertThat(this.instances.all()).extracting(Instance::name)
			.containsExactlyInAnyOrder("instance-1", "instance-2");
	}

}
