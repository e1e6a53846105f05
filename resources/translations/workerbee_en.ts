<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Address</name>
    <message numerus="yes">
        <source>%n address(es)</source>
        <translation>
            <numerusform>%n address</numerusform>
            <numerusform>%n addresses</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Availability</name>
    <message numerus="yes">
        <source>%n more reason(s)</source>
        <translation>
            <numerusform>%n more reason</numerusform>
            <numerusform>%n more reasons</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Waiting until nobody has used this computer for %n minute(s)</source>
        <translation>
            <numerusform>Waiting until nobody has used this computer for %n minute</numerusform>
            <numerusform>Waiting until nobody has used this computer for %n minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>goes on when nobody has used it for %n minute(s)</source>
        <translation>
            <numerusform>goes on when nobody has used it for %n minute</numerusform>
            <numerusform>goes on when nobody has used it for %n minutes</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>goes on %n minute(s) after that ends</source>
        <translation>
            <numerusform>goes on %n minute after that ends</numerusform>
            <numerusform>goes on %n minutes after that ends</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Consent</name>
    <message numerus="yes">
        <source>and %n more</source>
        <translation>
            <numerusform>and %n more</numerusform>
            <numerusform>and %n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ContributionPicture</name>
    <message numerus="yes">
        <source>run(s)</source>
        <translation>
            <numerusform>run</numerusform>
            <numerusform>runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>DeviceCard</name>
    <message numerus="yes">
        <source>%n more</source>
        <translation>
            <numerusform>%n more</numerusform>
            <numerusform>%n more</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EpochProgressCard</name>
    <message numerus="yes">
        <source>%n peers</source>
        <translation>
            <numerusform>%n peer</numerusform>
            <numerusform>%n peers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n of them outgoing only</source>
        <translation>
            <numerusform>%n of them outgoing only</numerusform>
            <numerusform>%n of them outgoing only</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>EventLog</name>
    <message numerus="yes">
        <source>Connected: %n peer(s) known; this computer is %1.</source>
        <translation>
            <numerusform>Connected: %n peer known; this computer is %1.</numerusform>
            <numerusform>Connected: %n peers known; this computer is %1.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>The search found %n run(s).</source>
        <translation>
            <numerusform>The search found %n run.</numerusform>
            <numerusform>The search found %n runs.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>According to %n peer(s), %1 has sent what cannot be right.</source>
        <translation>
            <numerusform>According to %n peer, %1 has sent what cannot be right.</numerusform>
            <numerusform>According to %n peers, %1 has sent what cannot be right.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Epoch %1: state averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Epoch %1: state averaged with %n peer in %2.</numerusform>
            <numerusform>Epoch %1: state averaged with %n peers in %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Round %1: changes averaged with %n peer(s), but no step taken: %2.</source>
        <translation>
            <numerusform>Round %1: changes averaged with %n peer, but no step taken: %2.</numerusform>
            <numerusform>Round %1: changes averaged with %n peers, but no step taken: %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Caught up with %n round(s) of the others:</source>
        <translation>
            <numerusform>Caught up with %n round of the others:</numerusform>
            <numerusform>Caught up with %n rounds of the others:</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Round %1: changes averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Round %1: changes averaged with %n peer in %2.</numerusform>
            <numerusform>Round %1: changes averaged with %n peers in %2.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Epoch %1: gradients averaged with %n peer(s) in %2.</source>
        <translation>
            <numerusform>Epoch %1: gradients averaged with %n peer in %2.</numerusform>
            <numerusform>Epoch %1: gradients averaged with %n peers in %2.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Experts</name>
    <message numerus="yes">
        <source>%n more expert(s) not shown</source>
        <translation>
            <numerusform>%n more expert not shown</numerusform>
            <numerusform>%n more experts not shown</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>FleetFacts</name>
    <message numerus="yes">
        <source>%1: %n peer(s)</source>
        <translation>
            <numerusform>%1: %n peer</numerusform>
            <numerusform>%1: %n peers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>of %n peer(s), less counts than is told</source>
        <translation>
            <numerusform>of %n peer, less counts than is told</numerusform>
            <numerusform>of %n peers, less counts than is told</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n do(es) not say</source>
        <translation>
            <numerusform>%n does not say</numerusform>
            <numerusform>%n do not say</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>PublishedCard</name>
    <message numerus="yes">
        <source>%n checkpoint(s)</source>
        <translation>
            <numerusform>%n checkpoint</numerusform>
            <numerusform>%n checkpoints</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>ReceiptsCard</name>
    <message numerus="yes">
        <source>Organisers have signed for %1 samples of yours in %n run(s).</source>
        <translation>
            <numerusform>Organisers have signed for %1 samples of yours in %n run.</numerusform>
            <numerusform>Organisers have signed for %1 samples of yours in %n runs.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Run</name>
    <message numerus="yes">
        <source>%n peer(s)</source>
        <translation>
            <numerusform>%n peer</numerusform>
            <numerusform>%n peers</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n file(s) of %1 from %2</source>
        <translation>
            <numerusform>%n file of %1 from %2</numerusform>
            <numerusform>%n files of %1 from %2</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>RunCatalogue</name>
    <message numerus="yes">
        <source>%n more run(s): type a word above to find them.</source>
        <translation>
            <numerusform>%n more run: type a word above to find it.</numerusform>
            <numerusform>%n more runs: type a word above to find them.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Status</name>
    <message numerus="yes">
        <source>all %n step(s) taken, waiting for the others</source>
        <translation>
            <numerusform>all %n step taken, waiting for the others</numerusform>
            <numerusform>all %n steps taken, waiting for the others</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n step(s)</source>
        <translation>
            <numerusform>%n step</numerusform>
            <numerusform>%n steps</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>averaged with %n peer(s) %1 ago</source>
        <translation>
            <numerusform>averaged with %n peer %1 ago</numerusform>
            <numerusform>averaged with %n peers %1 ago</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>SummaryCard</name>
    <message numerus="yes">
        <source>samples in %n run(s)</source>
        <translation>
            <numerusform>samples in %n run</numerusform>
            <numerusform>samples in %n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>TrustCatalogue</name>
    <message numerus="yes">
        <source>%n run(s)</source>
        <translation>
            <numerusform>%n run</numerusform>
            <numerusform>%n runs</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Verdict</name>
    <message numerus="yes">
        <source>Yes, your computer is helping: %1 of the last %n round(s) averaged with others.</source>
        <translation>
            <numerusform>Yes, your computer is helping: %1 of the last %n round averaged with others.</numerusform>
            <numerusform>Yes, your computer is helping: %1 of the last %n rounds averaged with others.</numerusform>
        </translation>
    </message>
</context>
</TS>
