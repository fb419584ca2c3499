// SPDX-License-Identifier: Apache-2.0
// Words in maps, which are Java's, and thirty megabytes in direct buffers, which are malloc's.
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

public class Words {
    static Map<String, List<Integer>> build(int words) {
        Map<String, List<Integer>> made = new HashMap<>();
        for (int i = 0; i < words; i++)
            made.computeIfAbsent("word " + i % 1000, word -> new ArrayList<>()).add(i);
        return made;
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<Object> kept = new ArrayList<>();
        List<ByteBuffer> buffers = new ArrayList<>();
        for (int round = 0; round < 5; round++)
            kept.add(build(200000));
        for (int i = 0; i < 30; i++)
            buffers.add(ByteBuffer.allocateDirect(1 << 20));
        System.out.println(kept.size() + " maps, " + buffers.size() + " buffers");
        for (BufferPoolMXBean pool : ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class))
            if (pool.getName().equals("direct"))
                System.err.println("direct " + pool.getMemoryUsed());
        Thread.sleep(200); // so that its size is seen
        System.exit(11);
    }
}
